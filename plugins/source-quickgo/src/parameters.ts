import { z } from '@kindred/contracts';

export const maxDownloadRows = 2_000_000;

export const parameters = z.strictObject({
  quickgo_base_url: z
    .string()
    .min(1)
    .default('https://www.ebi.ac.uk/QuickGO/services/annotation/downloadSearch'),
  gene_product_ids: z
    .array(z.string().min(1))
    .nullable()
    .default(null)
    .meta({ description: 'Accessions to request, in batches; null requests everything in one download' }),
  gene_product_batch_size: z.int().min(1).max(1000).default(200),
  eco_mapping_url: z.string().nullable().default(null).meta({
    description: 'ECO ids to GO evidence codes, e.g. gaf-eco-mapping.txt; for rows that have no code',
  }),
  download_limit: z
    .int()
    .min(1)
    .max(maxDownloadRows)
    .default(maxDownloadRows)
    .meta({ description: 'Maximum rows per request; a batch that reaches it is split in halves' }),
  page_size: z.int().min(1).max(100_000).default(10_000),
  timeout_seconds: z.int().min(1).max(86_400).default(300),
  max_retries: z.int().min(0).max(20).default(3).meta({ description: 'Retries of an interrupted download' }),
});
export type QuickGoParameters = z.infer<typeof parameters>;
