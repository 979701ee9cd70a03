import { sql } from 'kysely';
import type { Reader } from '../postgres/fragments/visibility.js';
import { prepared, type Queryable } from '../postgres/connection.js';
import type { ResultFigures } from './evaluation-results.repository.js';

/** A result has the fields that decide its place in a comparison of methods. */
export interface BenchmarkResultRow {
  id: string;
  created_at: string;
  evaluation_set_id: string;
  options: Record<string, unknown>;
  results: ResultFigures;
  /** The prediction set was made by this method: knn, naive, ... */
  method: string;
  /** In sets scored by votes, neighbours weigh in this way; null for other sets. */
  vote_weights: string | null;
  limit_per_entry: number;
  embedding_config_id: string | null;
  /** The neighbours in these configurations were merged with those of the first. */
  more_embedding_config_ids: string[];
  /** All configurations together have this name. */
  embedding_name: string | null;
  /** The recipe of this name scored the predictions; null if they kept their own scores. */
  scoring_config_name: string | null;
  reranked: boolean;
  /** The flag is true if the prediction set is listed for everyone. */
  listed: boolean;
}

const forEveryone = sql<boolean>`(s.listed and s.visibility = 'listed')`;

/**
 * Lists results of prediction sets that are listed for everyone, and of the reader's own, newest first, at
 * most `limit`.
 */
export async function benchmarkResults(
  db: Queryable,
  { seesAll, userId }: Reader,
  limit: number,
): Promise<BenchmarkResultRow[]> {
  const seen = seesAll
    ? sql`true`
    : userId === null
      ? forEveryone
      : sql`(${forEveryone} or s.owner_user_id = ${userId})`;
  const { rows } = await sql<BenchmarkResultRow>`
    select r.id, r.created_at, r.evaluation_set_id, r.options, r.results, s.method, s.parameters ->> 'weights' as vote_weights, s.limit_per_entry, s.embedding_config_id,
           s.more_embedding_config_ids,
           nullif(concat_ws(' + ', coalesce(c.display_name, c.model_name), (
             select string_agg(coalesce(m.display_name, m.model_name), ' + ' order by m.id)
             from embedding_config m where m.id = any(s.more_embedding_config_ids))), '') as embedding_name,
           r.options -> 'scoring_config' ->> 'name' as scoring_config_name,
           coalesce(r.options -> 'reranker', 'null') <> 'null' as reranked, ${forEveryone} as listed
    from evaluation_result r
    join prediction_set s on s.id = r.prediction_set_id and ${seen}
    left join embedding_config c on c.id = s.embedding_config_id
    order by r.created_at desc, r.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Returns true if the reader finds results that others do not find. */
export async function hasOwnResults(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from evaluation_result r join prediction_set s on s.id = r.prediction_set_id
      where s.owner_user_id = ${userId} and not ${forEveryone}) as has`.execute(db);
  return rows[0].has;
}

const fingerprint = sql<string>`concat((select count(*) from evaluation_result), ' ',
  (select count(*) from prediction_set where listed and visibility = 'listed'), ' ',
  (select created_at from evaluation_result order by created_at desc limit 1), ' ',
  (select applied_at from schema_migration order by version limit 1))`;

/**
 * The fingerprint changes when a result is added, deleted, published or withdrawn, and when the database is
 * reset, because a reset makes the schema again.
 */
export async function resultFingerprint(db: Queryable): Promise<string> {
  const { rows } = await sql<{ fingerprint: string }>`select ${fingerprint} as fingerprint`.execute(db);
  return rows[0].fingerprint;
}

export interface ShowcaseCounts {
  proteins: number;
  canonical_proteins: number;
  sequences: number;
  embeddings: number;
  prediction_sets: number;
  predictions: number;
  reranker_models: number;
  evaluations: number;
}

export interface SampleRow {
  prediction_set_id: string;
  accession: string;
}

/** Larger runs are not taken as samples, because all their predictions would be read. */
const maxSampleProteins = 100;

/** A page about the methods depends on these facts. */
export interface ShowcaseState {
  /** The field has the value of `resultFingerprint`. */
  fingerprint: string;
  /** The sample is the first small complete run by `combined` that everyone finds; null without one. */
  sample: { id: string; number: number } | null;
}

export async function showcaseState(db: Queryable): Promise<ShowcaseState> {
  const [state] = await stateNow(db);
  return state;
}

const stateNow = prepared((db) =>
  sql<ShowcaseState>`
    select ${fingerprint} as fingerprint, (
      select json_build_object('id', id, 'number', number) from prediction_set
      where listed and visibility = 'listed' and status = 'complete' and method = 'combined' and expires_at is null
        and protein_count between 1 and ${sql.lit(maxSampleProteins)}
      order by created_at, id limit 1) as sample`.compile(db),
);

/** Finds the protein of a complete set with the most certain answer. */
export async function sampleAnswer(
  db: Queryable,
  set: { id: string; number: number },
): Promise<SampleRow | null> {
  const { rows } = await sql<{ accession: string }>`
    select q.protein_accession as accession from prediction_set_protein q
    left join lateral (
      select max(probability) as best from go_prediction g
      where g.prediction_set_number = q.prediction_set_number and g.protein_accession = q.protein_accession) g on true
    where q.prediction_set_number = ${set.number}
    order by q.known_accession is null desc, g.best desc nulls last, q.term_count desc, q.protein_accession collate "C" limit 1`.execute(
    db,
  );
  return rows.length === 0 ? null : { prediction_set_id: set.id, accession: rows[0].accession };
}

export async function showcaseCounts(db: Queryable): Promise<ShowcaseCounts> {
  const { rows } = await sql<ShowcaseCounts>`
    select (select count(*) from protein) as proteins,
           (select count(*) from protein where isoform_index is null) as canonical_proteins,
           (select count(*) from sequence) as sequences,
           (select count(*) from sequence_embedding) as embeddings,
           (select count(*) from prediction_set where listed) as prediction_sets,
           (select coalesce(sum(prediction_count), 0)::bigint from prediction_set where listed) as predictions,
           (select count(*) from reranker_model) as reranker_models,
           (select count(*) from evaluation_result) as evaluations`.execute(db);
  return rows[0];
}
