import { fileURLToPath } from 'node:url';

/** Parts of the checkout that the running service uses; the same from sources and from dist. */
export const examplesFolder = fileURLToPath(new URL('../../../examples', import.meta.url));
export const combinedModelsFolder = fileURLToPath(new URL('../../../models/combined', import.meta.url));
export const webFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));
