import { z } from 'zod';
import { emptyReasons } from '@kindred/kernels/vocabulary';
import {
  annotationSetId,
  booleanQuery,
  embeddingConfigId,
  listQuery,
  maxTaxon,
  newVisibility,
  visibility,
  wholeNumber,
} from '../fields.js';
import { badRecords, badRecordsMeaning, leftOut } from '../left-out.js';
import { hitsFile, hitsMeaning, hitsProgram } from '../search-hits.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import {
  combinedSources,
  sourceChoices,
  moreConfigs,
  mostMoreConfigs,
  mostProteinsBeside,
  mostReferences,
  predictionMethods,
} from './prediction-sets.js';
import { runnerMeaning, runnerName, runnerParameters, runnerParametersMeaning } from '../runner-fields.js';
import { sequenceOnlyMeaning } from '../sequence-only.js';
import { referenceChoice, referenceMark } from './references.js';

const listed = <Item extends z.ZodType>(
  item: Item,
  { most, description }: { most: number; description: string },
) =>
  listQuery(item, most)
    .optional()
    .meta({ description: `${description}; separated by commas` });
const taxon = wholeNumber(z.int().min(1).max(maxTaxon));
/** The choices of predict_go_terms, as parameters of an address. */
const sourceQuery = {
  evidence: listed(sourceChoices.evidence.item, sourceChoices.evidence),
  sources: listed(sourceChoices.sources.item, sourceChoices.sources),
  aspects: listed(sourceChoices.aspects.item, sourceChoices.aspects),
  source_taxa: listed(taxon, sourceChoices.source_taxa),
  exclude_taxa: listed(taxon, sourceChoices.exclude_taxa),
};

const organism = z.string().trim().min(1).max(200).meta({
  description:
    'Of queries whose header has no OX=: an NCBI taxon or its scientific name, such as Homo sapiens or E. coli',
});

export const annotateQuery = z.strictObject({
  save_history: booleanQuery.optional().meta({ description: 'Default true with an account, false without' }),
  auto_predict: booleanQuery
    .optional()
    .meta({ description: 'Queue predict_go_terms too; it starts when the vectors are there. Default false' }),
  visibility: newVisibility,
  method: z.enum(predictionMethods).optional().meta({
    description:
      'combined: votes, own annotations and a trained model; knn: the nearest sources. Default combined; with runner, knn',
  }),
  runner: runnerName.optional().meta({ description: runnerMeaning }),
  reference: referenceChoice.optional(),
  annotation_set_id: annotationSetId.optional().meta({ description: 'Annotations to predict from' }),
  embedding_config_id: embeddingConfigId.optional().meta({ description: 'Vectors to find sources with' }),
  more_embedding_config_ids: listed(embeddingConfigId, { most: mostMoreConfigs, description: moreConfigs }),
  limit_per_entry: wholeNumber(z.int().min(1).max(500))
    .optional()
    .meta({
      description: `Sources of a protein. Default ${combinedSources} with combined, which takes no more; 5 with knn`,
    }),
  organism: organism.optional(),
  bad_records: badRecords.optional().meta({ description: badRecordsMeaning }),
  ...sourceQuery,
  sequence_only: booleanQuery
    .optional()
    .meta({ description: `With combined: ${sequenceOnlyMeaning}. Default true` }),
  aspect: z.enum(aspects).optional().meta({ description: 'With combined: only terms of this aspect' }),
});
const name = z.string().trim().min(1).max(255);
const fastaText = z.string().min(1, 'give at least one FASTA record');
/** The form fields besides `file` and `fasta_text`, with the value of the JSON text. */
export const annotateFields = z.strictObject({
  name: name.optional(),
  runner_parameters: runnerParameters.optional(),
  hits_program: hitsProgram.optional(),
});
export const annotateJson = z.strictObject({
  fasta_text: fastaText,
  name: name.optional(),
  runner_parameters: runnerParameters.optional(),
});
/** The form as the description shows it. */
export const annotateForm = z.strictObject({
  file: z.file().optional().meta({
    description:
      'FASTA text, or a GenBank or EMBL file with annotated genes, also packed with gzip; or give fasta_text',
  }),
  fasta_text: z.string().optional(),
  name: name.optional(),
  runner_parameters: z.string().optional().meta({ description: runnerParametersMeaning }),
  hits: z.file().optional().meta({ description: hitsMeaning }),
  hits_program: hitsProgram.optional(),
});

const hitsOfUpload = hitsFile.nullable().meta({ description: 'The uploaded hits; null: none' });

const annotationSetChosenBy = z.enum(['caller', 'operator', 'organism', 'newest']).meta({
  description:
    'organism: of the releases that annotate a protein of the organism of most queries, the one with the newest annotation; newest: of all',
});
const embeddingConfigChosenBy = z.enum(['caller', 'operator', 'reference', 'most vectors']);
const searchedReference = z.object({
  annotation_set_id: z.guid(),
  name: z.string(),
  version: z.string(),
  protein_count: z.int().meta({ description: 'Annotated proteins' }),
});
/** The configuration and reference of an annotation, and who or what chose them. */
export const annotateReferenceReply = z.object({
  embedding_config_id: z.guid(),
  embedding_config_chosen_by: embeddingConfigChosenBy,
  annotation_set_id: z.guid(),
  annotation_set_chosen_by: annotationSetChosenBy,
  ontology_snapshot_id: z.guid(),
  reference: referenceMark.nullable().meta({ description: 'The reference that these belong to; null: none' }),
  more_references: z.array(searchedReference).meta({
    description:
      'Others that are searched too, since the caller names none: each query has the answer of the one that has the most similar protein, of equals the first. With an operator’s default they are searched only for queries that it has no similar protein of',
  }),
  not_searched: z.array(searchedReference).meta({
    description: `References that are left out: those without vectors of the model, and others since a run is compared with at most ${mostReferences}, and besides the largest with ${mostProteinsBeside.toLocaleString('en')} annotated proteins`,
  }),
});
export const annotateReferenceQuery = z.strictObject({
  taxon_id: wholeNumber(z.int().min(1).max(maxTaxon))
    .optional()
    .meta({ description: 'NCBI taxon of the queries' }),
});
export const annotateCheckQuery = annotateQuery.pick({
  annotation_set_id: true,
  embedding_config_id: true,
  organism: true,
  bad_records: true,
});
export const annotateReferenceBody = z.strictObject({
  annotation_set_id: annotationSetId.nullable(),
  embedding_config_id: embeddingConfigId.nullable(),
});

export const annotateReply = annotateReferenceReply.extend({
  query_set_id: z.guid(),
  name: z.string().meta({
    description: 'Name of the run: the given one, that of the file, or that of its first proteins',
  }),
  embedding_job_id: z.guid().meta({ description: 'The last one' }),
  embedding_job_ids: z.array(z.guid()).meta({ description: 'One for each configuration, in order' }),
  predict_job_id: z.guid().nullable(),
  predict_payload: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Body for POST /embeddings/predict' }),
  sequence_count: z.int(),
  left_out: leftOut,
  hits: hitsOfUpload,
  save_history: z.boolean(),
  visibility,
  expires_at: z.string().nullable(),
});

export const annotateLimitsReply = z.object({
  max_upload_bytes: z.int(),
  max_sequences: z.int().meta({ description: 'Per upload' }),
  max_residues: z.int().meta({ description: 'Per sequence' }),
  sequences_today: z
    .object({ limit: z.int(), used: z.int() })
    .nullable()
    .meta({ description: 'Daily quota of the caller (UTC days); null: without limit' }),
  may_save: z.boolean().meta({ description: 'save_history=true is open to the caller' }),
  default_visibility: visibility.meta({ description: 'Visibility of what is saved without one' }),
  unsaved_hours: z
    .number()
    .meta({ description: 'Results that are not saved are deleted after this many hours' }),
  in_browser: z
    .object({
      weights: z.string().meta({ description: 'Path of the weights of the sequence network, for good' }),
      size_bytes: z.int(),
    })
    .nullable()
    .meta({
      description:
        'The page can annotate in the browser alone, with these weights; null: switched off (SVC_IN_BROWSER), or the service lacks them',
    }),
});

export const annotateCheckReply = annotateReferenceReply.extend({
  sequence_count: z.int(),
  left_out: leftOut,
  hits: hitsOfUpload,
  residue_count: z.int(),
  longest: z.int().meta({ description: 'Residues of the longest sequence' }),
  taxon_id: z
    .int()
    .nullable()
    .meta({ description: 'NCBI taxon of most queries, from OX= in their headers or from organism' }),
  taxon_count: z.int().meta({ description: 'Different taxa that the headers name' }),
  taxon_name: z
    .string()
    .nullable()
    .meta({ description: 'Its name; null where the taxonomy does not have it' }),
  without_taxon: z.int().meta({ description: 'Queries whose organism is not known' }),
  known_exactly: z
    .int()
    .meta({ description: 'Queries whose very sequence has annotations in the reference' }),
  unanswerable: z
    .array(
      z.object({
        reason: z.enum(emptyReasons),
        sentence: z.string(),
        count: z.int(),
        accessions: z.array(z.string()).meta({ description: 'The first five' }),
      }),
    )
    .meta({ description: 'Queries that can have no prediction, by what the sequence alone shows' }),
  seconds: z
    .number()
    .nullable()
    .meta({ description: 'How long it takes, from recent runs; null where there was none' }),
  quota: z
    .object({ limit: z.int(), used: z.int(), is_enough: z.boolean(), resets_at: z.string() })
    .nullable()
    .meta({ description: 'Daily quota of the caller (UTC days); null: without limit' }),
});

export const annotateRoutes = routesOf('query sets', {
  annotate: {
    method: 'POST',
    path: '/annotate',
    floor: 'viewer',
    rate: 'uploads',
    refuses: [409],
    summary: 'Annotate a FASTA file or text in one step',
    access: 'Anonymous and guest: save_history=false under a daily quota. save_history=true: researcher.',
    query: annotateQuery,
    upload: { form: annotateForm, json: annotateJson },
    reply: { 202: annotateReply },
  },
  check: {
    method: 'POST',
    path: '/annotate/check',
    floor: 'viewer',
    rate: 'uploads',
    refuses: [409],
    summary:
      'What annotating this FASTA file or text would do: nothing is stored or queued, and no quota is used',
    query: annotateCheckQuery,
    upload: { form: annotateForm, json: annotateJson },
    reply: { 200: annotateCheckReply },
  },
  reference: {
    method: 'GET',
    path: '/annotate/reference',
    floor: 'viewer',
    summary: 'What an annotation is made with where the caller names nothing',
    query: annotateReferenceQuery,
    refuses: [409],
    reply: { 200: annotateReferenceReply },
  },
  setReference: {
    method: 'PATCH',
    path: '/annotate/reference',
    floor: 'operator',
    summary:
      'Set what annotations are made with where the caller names nothing; null leaves it to the service',
    body: annotateReferenceBody,
    reply: { 200: annotateReferenceBody },
  },
  limits: {
    method: 'GET',
    path: '/annotate/limits',
    floor: 'viewer',
    summary: 'What the caller may annotate today and in one upload',
    reply: { 200: annotateLimitsReply },
  },
});
