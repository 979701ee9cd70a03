import { open } from 'node:fs/promises';
import { ProblemError } from '@kindred/contracts';

/** A vector of a file under its key: an accession, or the MD5 of the residues. */
export interface KeyedVector {
  key: string;
  /** The name that the file keeps beside an MD5; null where it keeps none. */
  name: string | null;
  vector: Float32Array;
}

export const vectorFormats = ['hdf5', 'npz', 'parquet', 'csv'] as const;
export type VectorFormat = (typeof vectorFormats)[number];

/** Reads the vectors of a file that lies on disk, in batches of at most `batchSize`, one after another. */
export type VectorReader = (path: string, batchSize: number) => AsyncIterable<KeyedVector[]>;

const readers: Record<VectorFormat, () => Promise<VectorReader>> = {
  hdf5: async () => (await import('./hdf5.js')).readHdf5,
  npz: async () => (await import('./npz.js')).readNpz,
  parquet: async () => (await import('./parquet.js')).readParquet,
  csv: async () => (await import('./csv.js')).readCsv,
};
export const vectorReader = (format: VectorFormat): Promise<VectorReader> => readers[format]();

/** Told by the first bytes; what has none of the known signatures is taken for CSV. */
export async function detectVectorFormat(path: string): Promise<VectorFormat> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(8);
    const { bytesRead } = await file.read(head, 0, 8, 0);
    const bytes = head.subarray(0, bytesRead);
    if (bytes.toString('latin1') === '\x89HDF\r\n\x1a\n') return 'hdf5';
    if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04') return 'npz';
    if (bytes.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
    return 'csv';
  } finally {
    await file.close();
  }
}

export function badVectorFile(text: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_file', `${text}.`, cause === undefined ? {} : { cause });
}

/** A vector must be one row: [d] or [1, d]. @throws ProblemError bad_file for vectors of single residues */
export function checkOneVector(key: string, shape: readonly number[]): void {
  if (shape.length === 1 || (shape.length === 2 && shape[0] === 1)) return;
  throw badVectorFile(
    `${key} has an array of shape [${shape.join(', ')}] where one vector per protein is expected; pool the residues first`,
  );
}
