import { z } from 'zod';
import { onBadLine, timeoutSeconds, url } from '../fields.js';
import type { OperationRow } from '../operation.js';

export const loadTaxonomyPayload = z
  .strictObject({
    taxdump_url: url.optional().meta({
      description:
        'Archive with nodes.dmp, names.dmp and merged.dmp, e.g. https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump.tar.gz',
    }),
    nodes_url: url.optional().meta({ description: 'nodes.dmp, instead of the archive' }),
    names_url: url.optional().meta({ description: 'names.dmp, with nodes_url' }),
    merged_url: url
      .optional()
      .meta({ description: 'merged.dmp, with nodes_url: former ids count as the taxa that they belong to' }),
    timeout_seconds: timeoutSeconds(300),
    on_bad_line: onBadLine,
  })
  .refine(
    ({ taxdump_url, nodes_url, names_url, merged_url }) =>
      taxdump_url === undefined
        ? nodes_url !== undefined && names_url !== undefined
        : nodes_url === undefined && names_url === undefined && merged_url === undefined,
    { message: 'give either taxdump_url, or nodes_url and names_url', path: ['taxdump_url'] },
  );

export const taxonomyOperations = [
  {
    name: 'load_taxonomy',
    queue: 'svc.jobs',
    light: false,
    payload: loadTaxonomyPayload,
    description: 'Load the NCBI taxonomy from its dump; it replaces the previous one',
  },
] as const satisfies readonly OperationRow[];
