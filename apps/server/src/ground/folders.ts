import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Parts of the checkout that the running service uses; the same from sources, from dist, and in the packed product. */
export const examplesFolder = fileURLToPath(new URL('../../../../examples', import.meta.url));
export const combinedModelsFolder = fileURLToPath(new URL('../../../../models/combined', import.meta.url));
export const webFolder = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** The program, for processes that start others. */
export const programFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const fromCheckout = existsSync(new URL('../../../../tools/start.mjs', import.meta.url));
/** Command that users type: the packed product has one of its own. */
export const productCommand = fromCheckout ? './kindred' : 'kindred';
export const startCommand = fromCheckout ? 'npm start' : 'kindred start';
