import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** These paths hold for the sources, for dist, and for the packed product. */
export const examplesFolder = fileURLToPath(new URL('../../../../examples', import.meta.url));
export const combinedModelsFolder = fileURLToPath(new URL('../../../../models/combined', import.meta.url));
export const networkFolder = fileURLToPath(new URL('../../../../models/network', import.meta.url));
export const webFolder = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Processes that start other processes of the service run this file. */
export const programFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const fromCheckout = existsSync(new URL('../../../../tools/start.mjs', import.meta.url));
/** Messages name the command that the user has: the packed product has a command of its own. */
export const productCommand = fromCheckout ? './kindred' : 'kindred';
export const startCommand = fromCheckout ? 'npm start' : 'kindred start';
