import { z } from 'zod';
import type { OperationRow } from '../operations.js';
import { embeddingConfigId, timeoutSeconds, url } from './fields.js';

/** The backend of configurations whose vectors are imported alone: none is computed. */
export const importedBackend = 'imported';

export const importEmbeddingsPayload = z.strictObject({
  embedding_config_id: embeddingConfigId,
  vectors_url: url,
  format: z.enum(['auto', 'hdf5', 'npz', 'parquet', 'csv']).default('auto').meta({
    description: 'auto: told by the first bytes. hdf5: one dataset per protein, as UniProt offers them',
  }),
  match: z.enum(['auto', 'accession', 'md5']).default('auto').meta({
    description:
      'What the keys are; auto: 32 hexadecimal digits are the MD5 of a sequence, all others accessions',
  }),
  replace: z.boolean().default(false).meta({
    description: 'Take the place of vectors that are there; false keeps them',
  }),
  batch_size: z.int().min(1).max(10_000).default(1000).meta({ description: 'Vectors per committed batch' }),
  timeout_seconds: timeoutSeconds(300),
});

export const vectorRows = [
  {
    name: 'import_embeddings',
    queue: 'svc.embeddings',
    light: false,
    payload: importEmbeddingsPayload,
    description: 'Import vectors of proteins from HDF5, npz, Parquet or CSV',
  },
] as const satisfies readonly OperationRow[];
