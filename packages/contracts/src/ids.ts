import { z } from 'zod';

/**
 * Branded identifiers: a job id can't be passed where a protein accession is meant.
 * UUIDs are lower-case and hyphenated on the wire.
 */
declare const brand: unique symbol;
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };

export type JobId = Branded<string, 'JobId'>;
export type OntologySnapshotId = Branded<string, 'OntologySnapshotId'>;
export type AnnotationSetId = Branded<string, 'AnnotationSetId'>;
export type EmbeddingConfigId = Branded<string, 'EmbeddingConfigId'>;
export type QuerySetId = Branded<string, 'QuerySetId'>;
export type PredictionSetId = Branded<string, 'PredictionSetId'>;
export type EvaluationSetId = Branded<string, 'EvaluationSetId'>;
export type EvaluationResultId = Branded<string, 'EvaluationResultId'>;
export type ScoringConfigId = Branded<string, 'ScoringConfigId'>;
export type RerankerModelId = Branded<string, 'RerankerModelId'>;
export type ExperimentRunId = Branded<string, 'ExperimentRunId'>;
export type UserId = Branded<string, 'UserId'>;
export type ApiKeyId = Branded<string, 'ApiKeyId'>;
/** Row number of a sequence; one row per distinct amino-acid string. */
export type SequenceId = Branded<number, 'SequenceId'>;
/** Row number of a GO term within one ontology snapshot. */
export type GoTermRowId = Branded<number, 'GoTermRowId'>;
/** `GO:` and seven digits. */
export type GoId = Branded<string, 'GoId'>;
/** UniProt accession (isoforms `<canonical>-<n>`) or the first token of a user's FASTA header. */
export type Accession = Branded<string, 'Accession'>;

export const uuid = z.guid().transform((text) => text.toLowerCase());
/** A zod schema for a branded UUID. */
export function uuidOf<T extends Branded<string, string>>() {
  return z
    .guid()
    .overwrite((text) => text.toLowerCase())
    .meta({ description: 'UUID, lower-case and hyphenated' }) as unknown as z.ZodType<T, string>;
}

export const goIdPattern = /^GO:\d{7}$/;
