import { z } from '@kindred/contracts';

export const parameters = z.strictObject({
  gaf_url: z.string().min(1).meta({
    description: 'A GAF 2.0, 2.1 or 2.2 or a GPAD file, plain or gzip: file://, http:// or https://',
  }),
  format: z
    .enum(['auto', 'gaf', 'gpad'])
    .default('auto')
    .meta({ description: 'auto: detected by the version line or the number of columns' }),
  page_size: z.int().min(1).max(100_000).default(10_000).meta({ description: 'Rows per batch' }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .meta({ description: 'Maximum time without data from the server' }),
});
