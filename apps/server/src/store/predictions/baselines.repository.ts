import type { EmptyReason } from '@kindred/kernels/vocabulary';
import { experimentalEvidence, type Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { transferable } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';
import type { QueryIdentity } from './prediction-writer.js';

export interface OwnTermRow {
  accession: string;
  go_term_id: number;
  evidence_code: string;
}

/**
 * Reads live terms that the set gives these proteins without an experiment, except by ND and NOT: one row per
 * term, by accession and GO id.
 */
export async function nonExperimentalTerms(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<OwnTermRow[]> {
  const { rows } = await sql<OwnTermRow>`
    select p.accession, a.go_term_id, min(a.evidence_code) as evidence_code
    from protein p join protein_go_annotation a on a.protein_id = p.id and a.annotation_set_number = ${setNumber}
    join go_term t on t.id = a.go_term_id
    where p.accession = any(${accessions}::text[]) and a.evidence_code <> all(${experimentalEvidence}::text[]) and ${transferable}
    group by p.accession, a.go_term_id, t.go_id order by p.accession collate "C", t.go_id collate "C"`.execute(
    db,
  );
  return rows;
}

/** The query may be this annotated protein of a set. */
export interface NamesakeRow {
  query: string;
  sequence_id: number;
  accession: string;
  taxonomy_id: number | null;
  protein_sequence_id: number;
}

/**
 * Finds annotated proteins of the set with the accession of a query, or with its sequence. For each query,
 * proteins with its accession come first, then the others by accession.
 */
export async function namesakes(
  db: Queryable,
  setNumber: number,
  queries: readonly Pick<PredictedQueryRow, 'accession' | 'sequence_id'>[],
): Promise<NamesakeRow[]> {
  const { rows } = await sql<NamesakeRow>`
    with asked as (
      select * from unnest(${queries.map(({ accession }) => accession)}::text[],
                           ${queries.map(({ sequence_id }) => sequence_id)}::bigint[]) q (accession, sequence_id)),
    known as (
      select q.accession as query, q.sequence_id, true as by_accession, p.id, p.accession, p.taxonomy_id, p.sequence_id as protein_sequence_id
      from asked q join ${proteinsOfSet(setNumber)} p on p.accession = q.accession
      union all
      select q.accession, q.sequence_id, false, p.id, p.accession, p.taxonomy_id, p.sequence_id
      from asked q join ${proteinsOfSet(setNumber)} p on p.sequence_id = q.sequence_id)
    select k.query, k.sequence_id, k.accession, k.taxonomy_id, k.protein_sequence_id from known k
    where exists (select from protein_go_annotation a join go_term t on t.id = a.go_term_id
                  where a.annotation_set_number = ${setNumber} and a.protein_id = k.id and ${transferable})
    order by k.query, k.by_accession desc, k.accession collate "C"`.execute(db);
  return rows;
}

/** The neighbour gave terms of one aspect to a query of a prediction set. */
export interface NeighbourRow {
  protein_accession: string;
  aspect: Aspect;
  ref_protein_accession: string;
  distance: number;
  /** The score is null if the set has no alignments. */
  alignment_score_sw: number | null;
  length_query: number | null;
}

/**
 * Reads the neighbours that gave the predictions of these queries, by query, aspect, distance and accession.
 */
export async function neighboursOf(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<NeighbourRow[]> {
  const { rows } = await sql<NeighbourRow>`
    select p.protein_accession, t.aspect, p.source_id as ref_protein_accession, min(p.distance)::float8 as distance,
           max(p.alignment_score_sw)::float8 as alignment_score_sw, max(p.length_query) as length_query
    from go_prediction p join go_term t on t.id = p.go_term_id
    where p.prediction_set_number = ${setNumber} and p.protein_accession = any(${accessions}::text[])
      and p.source_kind = 'protein'
    group by p.protein_accession, t.aspect, p.source_id
    order by p.protein_accession collate "C", t.aspect, 4, p.source_id collate "C"`.execute(db);
  return rows;
}

export interface PredictedQueryRow extends QueryIdentity {
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
  /** The reason why the set has no prediction for the query; null means no reason. */
  no_answer: EmptyReason | null;
}

/** Reads the queries of a prediction set after `after`, by accession. */
export async function queriesOfSet(
  db: Queryable,
  setNumber: number,
  page: { after: string; limit: number },
): Promise<PredictedQueryRow[]> {
  const { rows } = await sql<PredictedQueryRow>`
    select q.protein_accession as accession, q.sequence_id, q.no_answer,
           q.known_accession, q.known_by, q.known_identity, q.known_coverage, q.is_namesake,
           (select p.query_taxonomy_id from go_prediction p where p.prediction_set_number = ${setNumber}
              and p.protein_accession = q.protein_accession limit 1) as taxonomy_id
    from prediction_set_protein q
    where q.prediction_set_number = ${setNumber} and q.protein_accession collate "C" > ${page.after}
    order by q.protein_accession collate "C" limit ${page.limit}`.execute(db);
  return rows;
}

/** Gives the size of a reference in distinct sequences, for the E-values of its alignments. */
export async function referenceLengths(
  db: Queryable,
  sequenceIds: readonly number[],
): Promise<{ residues: number; sequences: number }> {
  const { rows } = await sql<{ residues: number; sequences: number }>`
    select coalesce(sum(length), 0)::bigint as residues, count(*) as sequences from sequence
    where id = any(${sequenceIds}::bigint[])`.execute(db);
  return rows[0];
}
