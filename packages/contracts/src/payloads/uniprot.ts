import { z } from 'zod';
import type { OperationRow } from '../operations.js';
import { timeoutSeconds } from './fields.js';

export const fetchMetadataPayload = z.strictObject({
  search_criteria: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .meta({ description: 'UniProt query, e.g. organism_id:83333 AND reviewed:true' }),
  page_size: z.int().min(1).max(500).default(500).meta({ description: 'Records per request and commit' }),
  total_limit: z.int().min(1).nullable().default(null).meta({ description: 'Stop after so many records' }),
  update_protein_core: z.boolean().default(true).meta({
    description: 'Fill names, gene and organism of proteins that have none yet',
  }),
  timeout_seconds: timeoutSeconds(60),
});

export const uniprotRows = [
  {
    name: 'fetch_uniprot_metadata',
    queue: 'svc.jobs',
    light: true,
    payload: fetchMetadataPayload,
    description: 'Fetch function, catalytic activity, pathways and more from UniProt, by canonical accession',
  },
] as const satisfies readonly OperationRow[];
