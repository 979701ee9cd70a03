import { z } from 'zod';
import { accession, onBadLine, ontologySnapshotId, querySetId, timeoutSeconds, url } from '../fields.js';
import type { OperationRow } from '../operation.js';
import { mostAccessions } from '../route.js';

const release = z.string().trim().min(1).max(100);

export const loadInterproMappingPayload = z.strictObject({
  mapping_url: url.default('https://ftp.ebi.ac.uk/pub/databases/GO/goa/external2go/interpro2go'),
  source_version: release.meta({
    description: 'Your name for this release of the mapping, e.g. 2022-10-05; predictions name it',
  }),
  timeout_seconds: timeoutSeconds(120),
  on_bad_line: onBadLine,
});

export const loadInterproAnnotationsPayload = z.strictObject({
  matches_url: url,
  format: z.enum(['auto', 'interproscan', 'protein2ipr', 'gaf']).default('auto').meta({
    description:
      'interproscan: the TSV of InterProScan 5 or 6; protein2ipr: protein2ipr.dat of a release; gaf: entries that a GAF names',
  }),
  interpro_release: release.meta({ description: 'InterPro release of the matches, e.g. 108.0' }),
  page_size: z
    .int()
    .min(100)
    .max(100_000)
    .default(10_000)
    .meta({ description: 'Matches per committed batch' }),
  timeout_seconds: timeoutSeconds(300),
  on_bad_line: onBadLine,
});

export const predictFromInterproPayload = z
  .strictObject({
    ontology_snapshot_id: ontologySnapshotId,
    source_version: release.nullable().default(null).meta({
      description: 'Release of the mapping (load_interpro_go_mapping); null: the one loaded last',
    }),
    interpro_release: release.nullable().default(null).meta({
      description: 'Use only the matches of this InterPro release; null: of all',
    }),
    query_set_id: querySetId.nullable().default(null).meta({ description: 'Predict for an uploaded set' }),
    query_accessions: z.array(accession).min(1).max(mostAccessions).nullable().default(null).meta({
      description: 'Predict for these proteins; without both: for all',
    }),
    chunk_size: z.int().min(1).max(50_000).default(5000).meta({ description: 'Queries per committed batch' }),
  })
  .refine((payload) => payload.query_set_id === null || payload.query_accessions === null, {
    message: 'give query_set_id or query_accessions, not both',
    path: ['query_accessions'],
  });

export const runInterproscanPayload = z
  .strictObject({
    query_set_id: querySetId
      .nullable()
      .default(null)
      .meta({ description: 'Scan the sequences of this query set' }),
    accessions: z.array(accession).min(1).max(mostAccessions).nullable().default(null).meta({
      description: 'Scan these proteins; without both: all',
    }),
    interpro_release: release.meta({
      description: 'InterPro release to scan with, e.g. 108.0; sequences scanned with it before are left out',
    }),
    service: z.enum(['auto', 'local', 'ebi']).default('auto').meta({
      description: 'local: SVC_INTERPROSCAN_COMMAND; ebi: the job service; auto: local where it is set',
    }),
    applications: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'is not a name of an application'))
      .max(40)
      .default([])
      .meta({ description: 'Member databases to scan, e.g. Pfam; none: all' }),
    chunk_size: z.int().min(1).max(10_000).default(1000).meta({
      description: 'Sequences of one local run',
    }),
    max_running: z.int().min(1).max(30).default(20).meta({
      description: 'Jobs at the service at a time, one sequence each; its rules allow 30',
    }),
    poll_seconds: z
      .number()
      .min(0.01)
      .max(600)
      .default(20)
      .meta({ description: 'Pause between two requests to the service' }),
    resubmit_uncertain: z.boolean().default(false).meta({
      description:
        'Submit again the sequences that may have been submitted when the worker died; false leaves them out and names them',
    }),
    timeout_seconds: timeoutSeconds(86_400).meta({ description: 'Longest local run of one chunk' }),
  })
  .refine((payload) => payload.query_set_id === null || payload.accessions === null, {
    message: 'give query_set_id or accessions, not both',
    path: ['accessions'],
  });

export const interproOperations = [
  {
    name: 'load_interpro_go_mapping',
    queue: 'svc.jobs',
    light: false,
    payload: loadInterproMappingPayload,
    description: 'Load the mapping of InterPro entries to GO terms (interpro2go)',
  },
  {
    name: 'load_interpro_annotations',
    queue: 'svc.jobs',
    light: false,
    payload: loadInterproAnnotationsPayload,
    description: 'Load InterPro matches of sequences in the database from a file',
  },
  {
    name: 'run_interproscan_batch',
    queue: 'svc.jobs',
    light: false,
    payload: runInterproscanPayload,
    description: 'Scan sequences with InterProScan, on this machine or at the EBI job service',
  },
  {
    name: 'predict_go_terms_from_interpro',
    queue: 'svc.predictions',
    light: true,
    payload: predictFromInterproPayload,
    description: 'Predict GO terms from stored InterPro matches and the mapping of entries to terms',
  },
] as const satisfies readonly OperationRow[];
