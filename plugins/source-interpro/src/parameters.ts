import { z } from '@kindred/contracts';

export const parameters = z.strictObject({
  matches_url: z.string().min(1).meta({ description: 'file://, http:// or https://, plain or gzip' }),
  format: z.enum(['auto', 'interproscan', 'protein2ipr', 'gaf']).default('auto').meta({
    description:
      'interproscan: the TSV of InterProScan 5 or 6; protein2ipr: protein2ipr.dat of a release; gaf: entries that a GAF names',
  }),
  page_size: z.int().min(1).max(100_000).default(10_000).meta({ description: 'Matches per batch' }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .meta({ description: 'Maximum time without data from the server' }),
});
export type InterproParameters = z.infer<typeof parameters>;
