import { z } from '@kindred/contracts';

export const parameters = z.strictObject({
  search_criteria: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .meta({ description: 'UniProt query, e.g. organism_id:83333 AND reviewed:true' }),
  include_isoforms: z.boolean().default(true),
  page_size: z.int().min(1).max(500).default(500).meta({ description: 'Records per request' }),
  base_url: z.string().min(1).default('https://rest.uniprot.org/uniprotkb/search'),
  timeout_seconds: z.int().min(1).max(86_400).default(60),
  max_retries: z.int().min(0).max(20).default(3).meta({ description: 'Retries of an interrupted page' }),
  resume: z
    .string()
    .max(10_000)
    .nullable()
    .default(null)
    .meta({ description: 'The checkpoint of the last stored batch, to continue after it' }),
});
export type UniprotParameters = z.infer<typeof parameters>;
