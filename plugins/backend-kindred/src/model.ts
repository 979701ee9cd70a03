import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import { NetworkFormatError, type SequenceNetwork } from '@kindred/kernels/network';
import { loadNative, readNetwork } from '@kindred/native';

/** Name of the shipped weights: other weights need another, because vectors of two networks cannot be compared. */
export const modelName = 'kindred-1';

/** The files of the model: in a checkout, and in the packed product. */
const folders = ['../../../models/network/', '../../../../models/network/'].map(
  (path) => new URL(path, import.meta.url),
);

/**
 * The network, with the addon if it is there and not switched off, otherwise with WebAssembly. Use one per thread.
 * @throws ProblemError backend_unavailable where its files are missing or damaged, with what to do
 */
export function loadNetwork(nativeKernels: string, folder = folders.find(hasModel)): SequenceNetwork {
  if (folder === undefined || !hasModel(folder)) throw unavailable('its files are missing');
  try {
    return readNetwork(fileURLToPath(folder), loadNative({ use: nativeKernels }));
  } catch (error) {
    if (!(error instanceof NetworkFormatError)) throw error;
    throw unavailable(error.message);
  }
}

/** @throws ProblemError backend_unavailable where the file is missing */
export function readModelFile(name: string, folder = folders.find(hasModel)): Buffer {
  if (folder === undefined || !existsSync(new URL(name, folder)))
    throw unavailable(`its file ${name} is missing`);
  return readFileSync(new URL(name, folder));
}

const hasModel = (folder: URL): boolean =>
  ['layout.json', 'provenance.json', 'weights.bin'].every((name) => existsSync(new URL(name, folder)));

function unavailable(why: string): ProblemError {
  return new ProblemError(
    'backend_unavailable',
    `The model ${modelName} cannot be used: ${why}. Install Kindred again, or restore models/network.`,
  );
}
