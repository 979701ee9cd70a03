import { z } from 'zod';

/**
 * Branded identifiers of the rows that requests name, so that the id of a prediction set can't be passed as the id of a query set. UUIDs
 * are lower-case and hyphenated on the wire.
 */
declare const brand: unique symbol;
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };

export type JobId = Branded<string, 'JobId'>;
export type OntologySnapshotId = Branded<string, 'OntologySnapshotId'>;
export type SlimId = Branded<string, 'SlimId'>;
export type AnnotationSetId = Branded<string, 'AnnotationSetId'>;
export type EmbeddingConfigId = Branded<string, 'EmbeddingConfigId'>;
export type ReferenceId = Branded<string, 'ReferenceId'>;
export type QuerySetId = Branded<string, 'QuerySetId'>;
export type PredictionSetId = Branded<string, 'PredictionSetId'>;
export type EvaluationSetId = Branded<string, 'EvaluationSetId'>;
export type EvaluationResultId = Branded<string, 'EvaluationResultId'>;
export type ScoringConfigId = Branded<string, 'ScoringConfigId'>;
export type RerankerModelId = Branded<string, 'RerankerModelId'>;
export type ExperimentRunId = Branded<string, 'ExperimentRunId'>;
export type WebhookId = Branded<string, 'WebhookId'>;
export type UserId = Branded<string, 'UserId'>;

export const uuid = z.guid().transform((text) => text.toLowerCase());
/** Makes a zod schema for a branded UUID. */
export function uuidOf<T extends Branded<string, string>>() {
  return z
    .guid()
    .overwrite((text) => text.toLowerCase())
    .meta({ description: 'UUID, lower-case and hyphenated' }) as unknown as z.ZodType<T, string>;
}

export const goIdPattern = /^GO:\d{7}$/;

/** The header with the id of a request, in requests, replies and messages of the broker. */
export const requestIdHeader = 'x-request-id';

/** The id of a request. It may hold nothing that a log, a header or a page could read as more than a name. */
export const requestId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected 1 to 64 letters, digits, dots, dashes and underscores',
  )
  .meta({ description: 'Id of a request: the X-Request-Id of its reply, and request_id in the log' });
