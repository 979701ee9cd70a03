import { z } from 'zod';
import { onBadLine, timeoutSeconds, url } from '../fields.js';
import type { OperationRow } from '../operation.js';

export const loadTaxonConstraintsPayload = z
  .strictObject({
    source_version: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Release, for instance 2026-06; needed with addresses' }),
    only_in_url: url.optional().meta({ description: "GO's table of terms that only some taxa have" }),
    never_in_url: url.optional().meta({ description: "GO's table of terms that some taxa never have" }),
    obo_url: url
      .optional()
      .meta({ description: 'An ontology file that has the constraints, instead of the tables' }),
    unions_url: url.optional().meta({
      description: "GO's groupings of taxa (go-taxon-groupings.obo), for constraints that name one",
    }),
    timeout_seconds: timeoutSeconds(300),
    on_bad_line: onBadLine,
  })
  .refine(
    ({ obo_url, only_in_url, never_in_url }) =>
      obo_url === undefined || (only_in_url === undefined && never_in_url === undefined),
    { message: 'give either obo_url, or only_in_url and never_in_url', path: ['obo_url'] },
  )
  .refine(
    ({ obo_url, only_in_url, never_in_url, unions_url, source_version }) =>
      [obo_url, only_in_url, never_in_url, unions_url].every((url) => url === undefined) ===
      (source_version === undefined),
    { message: 'goes with the addresses of the files: give both or neither', path: ['source_version'] },
  );

export const taxonConstraintOperations = [
  {
    name: 'load_taxon_constraints',
    queue: 'svc.jobs',
    light: false,
    payload: loadTaxonConstraintsPayload,
    description:
      "Load GO's taxon constraints; they replace the previous ones. Without addresses: the table that comes with Kindred, unless others are loaded",
  },
] as const satisfies readonly OperationRow[];
