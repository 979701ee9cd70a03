import { probabilityMeanings, standingsOfTerms } from '@kindred/kernels/combined/vocabulary';
import { z } from 'zod';
import { afterQuery, embeddingConfigId, limitQuery, ontologySnapshotId, url } from '../fields.js';
import { type ReferenceId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { routesOf } from '../route.js';
import { aspects, cafaAspects } from '../vocabulary.js';
import { queuedReply } from './jobs.js';

const namePattern = '[a-z0-9][a-z0-9._-]{0,63}';
const versionPattern = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
export const referenceName = z
  .string()
  .regex(
    new RegExp(`^${namePattern}$`),
    'expected up to 64 small letters, digits and . _ -, a letter or digit first',
  );
export const referenceVersion = z
  .string()
  .regex(
    new RegExp(`^${versionPattern}$`),
    'expected up to 64 letters, digits and . _ -, a letter or digit first',
  );
/** The ways in which requests name a reference. */
export const referenceChoice = z
  .string()
  .regex(
    new RegExp(`^${namePattern}(@${versionPattern})?$`),
    'expected a name such as swissprot, or name@version',
  )
  .meta({ description: 'A reference: name (its newest complete version), or name@version' });

export const referenceParams = z.object({ reference: referenceChoice });
export const referenceListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

export const referenceStatuses = ['building', 'complete', 'failed'] as const;
export const referencePartKinds = [
  'ontology',
  'proteins',
  'annotations',
  'taxonomy',
  'interpro_mapping',
  'taxon_constraints',
  'vectors',
] as const;
export const evidenceSelections = ['all', 'experimental'] as const;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits');

/** The origin of a part. */
const source = {
  url: url.meta({
    description:
      'upload:<sha256> of a file sent to /references/files, file:// under SVC_IMPORT_DIR, http(s)://',
  }),
  file_name: z.string().trim().min(1).max(255).optional(),
  origin: z.string().trim().min(1).max(1000).optional().meta({ description: 'Who publishes it, in words' }),
  licence: z.string().trim().min(1).max(300).optional(),
  citation: z.string().trim().min(1).max(2000).optional(),
};
export const referenceSource = z.strictObject(source);

export const referenceBody = z
  .strictObject({
    name: referenceName,
    version: referenceVersion.optional().meta({ description: 'Default: the day, such as 2026-11-22' }),
    ontology: referenceSource.optional().meta({ description: 'OBO file; or give ontology_snapshot_id' }),
    ontology_snapshot_id: ontologySnapshotId.optional(),
    proteins: z.array(referenceSource).min(1).max(100).meta({ description: 'FASTA files' }),
    annotations: z.array(referenceSource).min(1).max(100).meta({ description: 'GAF or GPAD files' }),
    taxonomy: z
      .strictObject({ nodes: referenceSource, names: referenceSource, merged: referenceSource.optional() })
      .or(z.strictObject({ taxdump: referenceSource }))
      .optional()
      .meta({ description: 'NCBI taxonomy: its files, or taxdump.tar.gz' }),
    interpro_mapping: referenceSource.optional().meta({ description: 'interpro2go' }),
    taxon_constraints: z
      .strictObject({ only_in: referenceSource, never_in: referenceSource, unions: referenceSource })
      .optional()
      .meta({
        description:
          "GO's tables of taxon constraints with their groupings of taxa. Without them: those that are loaded, else the table that comes with Kindred",
      }),
    vectors: z.array(referenceSource).min(1).max(100).optional().meta({
      description:
        'Files of vectors (HDF5, npz, Parquet or CSV) by accession: they are imported for the first configuration instead of computed',
    }),
    evidence: z
      .enum(evidenceSelections)
      .default('all')
      .meta({ description: 'experimental: only rows that rest on experiments or on curators' }),
    embedding_config_ids: z
      .array(embeddingConfigId)
      .min(1)
      .max(8)
      .refine((ids) => new Set(ids).size === ids.length, 'each configuration once')
      .meta({ description: 'Vectors to find sources with; annotate uses the first' }),
    make_default: z.boolean().optional().meta({
      description: 'Annotate with it first where the caller names nothing. Default: false',
    }),
  })
  .refine((body) => (body.ontology === undefined) !== (body.ontology_snapshot_id === undefined), {
    message: 'give ontology or ontology_snapshot_id, one of the two',
    path: ['ontology'],
  });

/** The fields that identify, in a result, the reference that it was made with. */
export const referenceMark = z.object({
  id: z.guid(),
  name: z.string(),
  version: z.string(),
  content_sha256: z.string().nullable().meta({
    description: 'Identity of the content; null: not computed (a choice of before there were references)',
  }),
});

export const referencePart = z.object({
  kind: z.enum(referencePartKinds),
  name: z.string(),
  origin: z.string().nullable(),
  licence: z.string().nullable(),
  citation: z.string().nullable(),
  sha256: z.string().nullable().meta({ description: 'Of the unpacked content' }),
  counts: z.record(z.string(), z.number()),
});
/** Proteins of the reference were asked as bare sequences, each without its own annotations and those of equal sequences. */
export const referenceReliability = z.object({
  method: z.string(),
  model_name: z.string(),
  held_out: z.int().meta({
    description:
      'Proteins that were asked: at most 1,000 of all annotated ones and 1,000 of those with experiments; the same ones on every machine',
  }),
  answered: z.int().nullable().default(null).meta({
    description:
      'Those of them that got an answer; null: measured by version 0.3.0 or an earlier one, or not at all',
  }),
  aspects: z
    .array(
      z.object({
        aspect: z.enum(cafaAspects),
        proteins: z.int().meta({ description: 'Proteins with experimental annotations in the aspect' }),
        fmax: z.number().nullable().meta({ description: 'null: too few proteins' }),
        low: z.number().nullable().meta({ description: 'Lower bound of the 95 % interval of fmax' }),
        high: z.number().nullable(),
        coverage: z.number().nullable(),
      }),
    )
    .meta({ description: 'The scores against experiments; empty: fewer than 100 proteins with any' }),
  words: z
    .array(
      z.object({
        meaning: z.enum(probabilityMeanings).meta({
          description:
            'What right means: named or implied by the protein’s own annotations of any evidence, or by those of experiments. Terms count where the protein has an annotation of the aspect in that sense',
        }),
        word: z.enum(standingsOfTerms),
        proteins: z.int(),
        calls: z.int().meta({ description: 'Terms of the word that the answers show' }),
        said: z.number().nullable().meta({ description: 'Mean probability that was shown; null: none' }),
        right: z.number().nullable().meta({ description: 'Share of right terms; null: too few proteins' }),
        low: z.number().nullable().meta({ description: 'Lower bound of the 95 % interval of right' }),
        high: z.number().nullable(),
      }),
    )
    .default([])
    .meta({ description: 'How often the terms of each word of certainty were right' }),
  why_not: z.string().nullable().meta({ description: 'Why nothing was measured' }),
});
const vectorsReply = z.object({
  embedding_config_id: z.guid(),
  model_name: z.string(),
  dimension: z.int(),
  vector_count: z.int(),
});
export const referenceReply = referenceMark.extend({
  status: z.enum(referenceStatuses),
  is_default: z
    .boolean()
    .meta({ description: 'Annotations are made with it first where the caller names nothing' }),
  evidence: z.enum(evidenceSelections),
  ontology_snapshot_id: z.guid().nullable(),
  obo_version: z.string().nullable(),
  annotation_set_id: z.guid().nullable(),
  vectors: z.array(vectorsReply),
  protein_count: z.int(),
  annotated_protein_count: z.int(),
  annotation_count: z.int(),
  annotations_by_evidence: z.record(z.string(), z.int()),
  left_out: z
    .record(z.string(), z.int())
    .meta({ description: 'Rows and records that are not in it, by reason' }),
  parts: z.array(referencePart),
  reliability: referenceReliability.nullable().meta({ description: 'null: not measured (yet)' }),
  job_id: z.guid().nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});
export const referenceDeletedReply = z.object({
  deleted: z.guid(),
  annotations_deleted: z.int(),
  prediction_sets_deleted: z.int(),
});

const change = { gained: z.int(), lost: z.int() };
export const referenceDiffReply = z.object({
  from: referenceMark,
  to: referenceMark,
  proteins: z.object({ ...change, sequence_changed: z.int() }),
  terms: z.object({
    added: z.int(),
    obsolete: z.int().meta({ description: 'Live before, obsolete now' }),
    replaced: z.int().meta({ description: 'A live term before, now another name (alt_id) of a term' }),
  }),
  annotations: z.array(z.object({ aspect: z.enum(aspects), evidence_code: z.string(), ...change })).meta({
    description:
      'Distinct protein, term, evidence code and NOT that only one of the two has, by aspect and evidence',
  }),
});

export const referenceFileParams = z.object({ digest: sha256 });
export const referenceFileForm = z.strictObject({
  file: z.file().meta({ description: 'Any source of a reference, plain or gzip' }),
});
export const referenceFileReply = z.object({ sha256: z.string(), size_bytes: z.int(), url: z.string() });

/** The names of an installed pack; its own names are the defaults. */
const installChoices = {
  name: referenceName.optional().meta({ description: 'Default: as the pack says' }),
  version: referenceVersion.optional().meta({ description: 'Default: as the pack says' }),
  make_default: z.boolean().optional().meta({
    description: 'Annotate with it first where the caller names nothing. Default: false',
  }),
};
export const installPayload = z.strictObject({ url, ...installChoices });
export const packReply = z.object({
  reference: referenceMark,
  sha256: z.string(),
  size_bytes: z.int(),
  created_at: z.string(),
});

export const referenceStepPayload = z.strictObject({ reference_id: uuidOf<ReferenceId>() });

export const referenceOperations = [
  {
    name: 'load_reference_proteins',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description: 'A step of a reference: load its proteins',
  },
  {
    name: 'load_reference_annotations',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description: 'A step of a reference: load the annotations of all its sources as one set',
  },
  {
    name: 'build_reference',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description: 'The last step of a reference: its banks, its counts and its content hash',
  },
  {
    name: 'measure_reference',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description:
      'Test a reference on its own proteins: how well they are predicted without their annotations, and how often each word of certainty is right',
  },
  {
    name: 'verify_reference',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description:
      'Compare the rows and vectors of a reference with the identity that it was given when it was built',
  },
  {
    name: 'pack_reference',
    queue: 'svc.jobs',
    light: false,
    payload: referenceStepPayload,
    description: 'Write a reference with its vectors into one portable file',
  },
  {
    name: 'install_reference',
    queue: 'svc.jobs',
    light: false,
    payload: installPayload,
    description: 'Read a packed reference into the database, whole or not at all',
  },
] as const satisfies readonly OperationRow[];

export const referenceRoutes = routesOf('references', {
  list: {
    method: 'GET',
    path: '/references',
    floor: 'viewer',
    summary: 'References, newest first',
    query: referenceListQuery,
    reply: { 200: z.array(referenceReply) },
  },
  create: {
    method: 'POST',
    path: '/references',
    floor: 'operator',
    refuses: [409, 429],
    summary: 'Build a reference; 200 with the one that is there for equal sources',
    access: 'A failed or cancelled build of equal sources goes on where it was.',
    rate: 'jobs',
    body: referenceBody,
    reply: { 200: referenceReply, 202: referenceReply },
  },
  show: {
    method: 'GET',
    path: '/references/:reference',
    floor: 'viewer',
    summary: 'One reference with its parts, counts and steps',
    params: referenceParams,
    reply: { 200: referenceReply },
  },
  diff: {
    method: 'GET',
    path: '/references/:reference/diff',
    floor: 'researcher',
    refuses: [409],
    summary: 'What changed from this reference to another',
    params: referenceParams,
    query: z.strictObject({ to: referenceChoice }),
    reply: { 200: referenceDiffReply },
  },
  use: {
    method: 'POST',
    path: '/references/:reference/use',
    floor: 'operator',
    refuses: [409],
    summary: 'Annotate with it where the caller names nothing',
    params: referenceParams,
    reply: { 200: referenceReply },
  },
  remove: {
    method: 'DELETE',
    path: '/references/:reference',
    floor: 'operator',
    refuses: [409],
    summary: 'Delete a reference with its annotations',
    access: 'Names what was made with it; with dependents=true these prediction sets go too.',
    params: referenceParams,
    query: z.strictObject({
      dependents: z
        .enum(['true', 'false'])
        .default('false')
        .transform((text) => text === 'true')
        .meta({ description: 'Delete the prediction sets that were made with it as well' }),
    }),
    reply: { 200: referenceDeletedReply },
  },
  pack: {
    method: 'POST',
    path: '/references/:reference/pack',
    floor: 'operator',
    refuses: [409, 429],
    summary: 'Write a reference into one portable file',
    access: 'The file is kept for a week, the newest of each reference.',
    rate: 'jobs',
    params: referenceParams,
    reply: { 202: queuedReply },
  },
  packed: {
    method: 'GET',
    path: '/references/:reference/pack',
    floor: 'operator',
    summary: 'The packed file that was made last: its digest and size',
    params: referenceParams,
    reply: { 200: packReply },
  },
  download: {
    method: 'GET',
    path: '/references/:reference/pack/file',
    floor: 'operator',
    head: false,
    summary: 'Download the packed file that was made last',
    params: referenceParams,
    reply: {
      200: {
        description: 'The pack',
        content: { 'application/x-tar': { schema: z.string().meta({ format: 'binary' }) } },
      },
    },
  },
  install: {
    method: 'POST',
    path: '/references/install',
    floor: 'operator',
    refuses: [429],
    summary: 'Install a packed reference from a file that was sent, or from an address',
    access: 'SVC_PACK_TRUSTED_KEYS and SVC_PACK_SIGNATURE_DEMANDED say whose packs.',
    rate: 'jobs',
    body: installPayload,
    reply: { 202: queuedReply },
  },
  upload: {
    method: 'POST',
    path: '/references/files',
    floor: 'operator',
    refuses: [429],
    summary: 'Send a source of a reference; it is kept until the reference is built, at most a week',
    upload: { form: referenceFileForm },
    reply: { 201: referenceFileReply },
  },
  file: {
    method: 'GET',
    path: '/references/files/:digest',
    floor: 'operator',
    summary: 'Whether a file was sent already',
    params: referenceFileParams,
    reply: { 200: referenceFileReply },
  },
});
