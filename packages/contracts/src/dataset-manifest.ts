import { z } from 'zod';

export const manifestVersion = 2;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const file = z.looseObject({ name: z.string(), sha256, size_bytes: z.int().min(0), rows: z.int().min(0) });

/** What is read of a manifest, of ours or of another producer; what else it says is kept as it is. */
export const datasetManifest = z.looseObject({
  schema_version: z
    .union([z.literal(manifestVersion), z.literal('2'), z.literal('v2')])
    .transform((): typeof manifestVersion => manifestVersion),
  name: z.string(),
  k: z.int().min(1),
  schema_sha: z.string(),
  n_train_rows: z.int().min(0),
  n_eval_rows: z.int().min(0),
  annotation_source: z.string().optional(),
  train_snapshot_pairs: z.array(z.string()).optional(),
  eval_snapshot_pair: z.string().nullish(),
  files: z.object({ train: file, eval: file }).optional(),
});
export type DatasetManifest = z.infer<typeof datasetManifest>;
