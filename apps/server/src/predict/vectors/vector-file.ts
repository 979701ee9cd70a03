import { open } from 'node:fs/promises';
import type { VectorReader } from './keyed-vector.js';

export const vectorFormats = ['hdf5', 'npz', 'parquet', 'csv'] as const;
export type VectorFormat = (typeof vectorFormats)[number];

const readers: Record<VectorFormat, () => Promise<VectorReader>> = {
  hdf5: async () => (await import('./hdf5.js')).readHdf5,
  npz: async () => (await import('./npz.js')).readNpz,
  parquet: async () => (await import('./parquet.js')).readParquet,
  csv: async () => (await import('./csv.js')).readCsv,
};
export const vectorReader = (format: VectorFormat): Promise<VectorReader> => readers[format]();

/** Detects the format of a file by its first bytes; a file without a known signature is read as CSV. */
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
