import { type Insertable, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import { prepared, type Queryable, type Transaction } from '../postgres/connection.js';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';
import { isUnsaved } from '../postgres/fragments/unsaved.js';
import { markOf, type ReferenceMark } from '../postgres/fragments/references.js';
import type { TermsOf } from '../ontology/known-terms.repository.js';
import type { Tables } from '../postgres/tables.generated.js';

export type PredictionSetRow = Selectable<Tables['prediction_set']>;
/** A set has the names of the rows that it was made from. */
export type NamedPredictionSetRow = PredictionSetRow & {
  /** The name is null for a set that compared no vectors. */
  embedding_config_name: string | null;
  /** The neighbours in these configurations, ordered by id, were merged with those of the main one. */
  more_embedding_configs: { id: string; name: string }[];
  /** Both fields are null for a set without annotated sources. */
  annotation_set_source: string | null;
  annotation_set_version: string | null;
  /** The set was made with this reference; null means without one. */
  reference: ReferenceMark | null;
  /** These other references were searched, in order. */
  more_references: ReferenceMark[];
  ontology_snapshot_version: string;
  /** The snapshot has this number of edges now. */
  ontology_relationship_count: number;
  /** The name is null for a set without a query set. */
  query_set_name: string | null;
};

export type NewPredictionSet = Omit<Insertable<Tables['prediction_set']>, 'job_id'>;

/**
 * Makes the set of this job, as visible as the job. A job that runs again after a crash finds its own set.
 * The caller holds the job, so that it does not end meanwhile.
 */
export async function predictionSetOfJob(
  trx: Transaction,
  jobId: string,
  values: NewPredictionSet,
): Promise<PredictionSetRow> {
  const known = await trx
    .selectFrom('prediction_set')
    .selectAll()
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (known !== undefined) return known;
  return trx
    .insertInto('prediction_set')
    .values({
      ...values,
      job_id: jobId,
      status: 'filling',
      visibility: sql`coalesce((select visibility from job where id = ${jobId}), 'link')`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const furtherConfigs = sql<{ id: string; name: string }[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'name', coalesce(m.display_name, m.model_name)) order by m.id), '[]')
  from embedding_config m where m.id = any(prediction_set.more_embedding_config_ids))`;

/** The other references are listed in the order of the search. */
const furtherReferences = sql<ReferenceMark[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'version', r.version,
    'content_sha256', r.content_sha256) order by asked.place), '[]')
  from jsonb_array_elements_text(case jsonb_typeof(prediction_set.parameters -> 'more_annotation_set_ids')
    when 'array' then prediction_set.parameters -> 'more_annotation_set_ids' else '[]' end) with ordinality as asked (id, place)
  join reference r on r.annotation_set_id = asked.id::uuid)`;

function named(db: Queryable) {
  return db
    .selectFrom('prediction_set')
    .leftJoin('embedding_config', 'embedding_config.id', 'prediction_set.embedding_config_id')
    .leftJoin('annotation_set', 'annotation_set.id', 'prediction_set.annotation_set_id')
    .leftJoin('query_set', 'query_set.id', 'prediction_set.query_set_id')
    .innerJoin('ontology_snapshot', 'ontology_snapshot.id', 'prediction_set.ontology_snapshot_id')
    .selectAll('prediction_set')
    .select([
      sql<string | null>`coalesce(embedding_config.display_name, embedding_config.model_name)`.as(
        'embedding_config_name',
      ),
      furtherConfigs.as('more_embedding_configs'),
      markOf('prediction_set.annotation_set_id').as('reference'),
      furtherReferences.as('more_references'),
      'annotation_set.source as annotation_set_source',
      'annotation_set.source_version as annotation_set_version',
      'ontology_snapshot.obo_version as ontology_snapshot_version',
      'ontology_snapshot.relationship_count as ontology_relationship_count',
      'query_set.name as query_set_name',
    ]);
}

export async function findPredictionSet(
  db: Queryable,
  id: string,
): Promise<NamedPredictionSetRow | undefined> {
  const [set] = await setOfId(db, id);
  return set;
}

const setOfId = prepared((db, id: string) => named(db).where('prediction_set.id', '=', id).compile());

/** Finds the terms that the rows of a set name. */
export function termsOfSet(
  set: Pick<NamedPredictionSetRow, 'ontology_snapshot_id' | 'ontology_relationship_count'>,
): TermsOf {
  return { id: set.ontology_snapshot_id, relationship_count: set.ontology_relationship_count };
}

/**
 * Lists the sets that the reader may find, newest first. Sets of unsaved annotations are not listed, and
 * incomplete ones only if their status is requested. A reader who names a query set knows its id, which can't
 * be guessed, and finds all its sets.
 */
export async function listPredictionSets(
  db: Queryable,
  reader: Reader,
  choice: { limit: number; after?: Cursor; status?: PredictionSetRow['status']; querySetId?: string },
): Promise<Page<NamedPredictionSetRow>> {
  const { limit, after, status, querySetId } = choice;
  const chosen = named(db)
    .$if(querySetId !== undefined, (query) =>
      query.where('prediction_set.query_set_id', '=', querySetId as string),
    )
    .$if(querySetId === undefined, (query) =>
      query.where('prediction_set.listed', '=', true).where(visibleTo('prediction_set', reader)),
    )
    .where('prediction_set.status', status === undefined ? '<>' : '=', status ?? 'incomplete');
  return pageOf(db, chosen, { table: 'prediction_set' }, { limit, after });
}

/**
 * Marks sets as incomplete that claim to be filled although their job has ended or is gone, and returns how
 * many. Jobs now hold their row while they make a set, so only older versions left such sets.
 */
export async function closeForsakenSets(trx: Transaction, limit: number): Promise<number> {
  const { rows } = await sql`
    update prediction_set s set status = 'incomplete', protein_count = c.proteins, prediction_count = c.predictions
    from (
      select f.id, count(p.prediction_set_number) as proteins, coalesce(sum(p.prediction_count), 0) as predictions
      from (
        select o.id, o.number from prediction_set o left join job j on j.id = o.job_id
        where o.status = 'filling' and (j.id is null or j.status not in ('QUEUED', 'RUNNING')) limit ${limit}
      ) f left join prediction_set_protein p on p.prediction_set_number = f.number group by f.id
    ) c
    where s.id = c.id and s.status = 'filling' returning s.id`.execute(trx);
  return rows.length;
}

/** Counts are taken from the rows of the queries when the last batch is stored. */
export async function countPredictionSet(
  trx: Transaction,
  jobId: string,
): Promise<{ predictions: number; proteins: number }> {
  const { rows } = await sql<{ predictions: number; proteins: number }>`
    update prediction_set s set prediction_count = c.predictions, protein_count = c.proteins
    from (select coalesce(sum(p.prediction_count), 0) as predictions, count(*) as proteins
          from prediction_set o left join prediction_set_protein p on p.prediction_set_number = o.number where o.job_id = ${jobId}) c
    where s.job_id = ${jobId}
    returning s.prediction_count as predictions, s.protein_count as proteins`.execute(trx);
  return rows[0] ?? { predictions: 0, proteins: 0 };
}

/** The set of a job has these counts at present. */
export interface SetCounts {
  predictions: number;
  proteins: number;
  /** These queries are named like a reference protein of another sequence. */
  namesakes: number;
  /** Queries without a prediction are counted by reason. */
  no_answer: Record<string, number>;
  /** These queries have no similar protein in the reference, and terms from their sequence alone. */
  sequence_only: number;
}

/** Counts the rows of the set, whose own counts it updates. */
export async function countsOfSet(trx: Transaction, jobId: string): Promise<SetCounts> {
  return {
    ...(await countPredictionSet(trx, jobId)),
    namesakes: await countNamesakes(trx, jobId),
    no_answer: await countUnanswered(trx, jobId),
    sequence_only: await countSequenceOnly(trx, jobId),
  };
}

/** Counts the queries that got no answer, by reason. */
async function countUnanswered(trx: Transaction, jobId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ counts: Record<string, number> }>`
    select coalesce((
      select jsonb_object_agg(no_answer, queries) from (
        select no_answer, count(*) as queries from prediction_set_protein p
        where p.prediction_set_number = s.number and no_answer is not null and term_count = 0 group by no_answer) counted), '{}') as counts
    from prediction_set s where s.job_id = ${jobId}`.execute(trx);
  return rows[0]?.counts ?? {};
}

/** Counts the queries without a similar protein that got terms from their sequence alone. */
async function countSequenceOnly(trx: Transaction, jobId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from prediction_set s join prediction_set_protein p on p.prediction_set_number = s.number
    where s.job_id = ${jobId} and p.no_answer is not null and p.term_count > 0`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Counts the queries that are named like a reference protein of another sequence. */
async function countNamesakes(trx: Transaction, jobId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from prediction_set s join prediction_set_protein p on p.prediction_set_number = s.number
    where s.job_id = ${jobId} and p.is_namesake`.execute(trx);
  return rows[0].count;
}

/** Deletes a set with its rows. It must have no evaluation results. */
export async function deletePredictionSet(
  trx: Transaction,
  row: PredictionSetRow,
): Promise<{ predictions_deleted: number }> {
  const deleted = await trx
    .deleteFrom('go_prediction')
    .where('prediction_set_number', '=', row.number)
    .executeTakeFirstOrThrow();
  await trx
    .deleteFrom('go_prediction_pair_features')
    .where('prediction_set_number', '=', row.number)
    .execute();
  await trx.deleteFrom('prediction_set_protein').where('prediction_set_number', '=', row.number).execute();
  await trx.deleteFrom('prediction_set').where('number', '=', row.number).execute();
  return { predictions_deleted: Number(deleted.numDeletedRows) };
}

/**
 * Deletes sets of unsaved annotations together with the row that they were made from, because nobody could
 * find and delete them first. None may have evaluation results.
 */
export async function deleteUnsavedSets(
  trx: Transaction,
  madeFrom: 'annotation_set_id' | 'embedding_config_id',
  id: string,
): Promise<void> {
  const further = sql.ref(
    madeFrom === 'embedding_config_id' ? 'more_embedding_config_ids' : 'more_annotation_set_ids',
  );
  const sets = await trx
    .selectFrom('prediction_set')
    .selectAll()
    .where((is) => is.or([is(madeFrom, '=', id), sql<boolean>`${further} && ${[id]}::uuid[]`]))
    .where(isUnsaved('prediction_set'))
    .forUpdate()
    .execute();
  for (const set of sets) await deletePredictionSet(trx, set);
}

/** Lists sets that were predicted from the annotation set, newest first. */
export async function predictionSetsOfAnnotations(
  db: Queryable,
  annotationSetId: string,
): Promise<PredictionSetRow[]> {
  return db
    .selectFrom('prediction_set')
    .selectAll()
    .where((is) =>
      is.or([
        is('annotation_set_id', '=', annotationSetId),
        sql<boolean>`more_annotation_set_ids && ${[annotationSetId]}::uuid[]`,
      ]),
    )
    .orderBy('created_at', 'desc')
    .execute();
}

/** Finds the queries that have their row in the set. */
export async function predictedAlready(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ protein_accession: string }>`
    select protein_accession from prediction_set_protein
    where prediction_set_number = ${setNumber} and protein_accession = any(${accessions}::text[])`.execute(
    db,
  );
  return new Set(rows.map((row) => row.protein_accession));
}

/**
 * The condition is true if the names of the set `d` were compared. Sets compare names since migration 104,
 * which gave the rows of all older ones the value false.
 */
export const namesWereCompared = sql<boolean>`
  d.created_at >= coalesce((select applied_at from schema_migration where version = 104), '-infinity')`;

/**
 * The expression is true if the query `q` of the set `d` is named like a reference protein of another
 * sequence; null if names were not compared.
 */
export const isNamesake = sql<
  boolean | null
>`case when q.is_namesake or ${namesWereCompared} then q.is_namesake end`;

/** The proteins of such an annotation set answer queries of a prediction set. */
export interface AnsweringSet {
  id: string;
  number: number;
  /** Its reference has this name and version; null if it has none. */
  name: string | null;
  /** Its annotations name these terms. */
  ontology: TermsOf;
}

/** Reads the annotation sets that a prediction set was compared with, by number. */
export async function answeringSets(
  db: Queryable,
  set: { annotation_set_id: string | null; more_annotation_set_ids: readonly string[] | null },
): Promise<ReadonlyMap<number, AnsweringSet>> {
  const ids = [set.annotation_set_id, ...(set.more_annotation_set_ids ?? [])].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<AnsweringSet>`
    select s.id, s.number,
           (select r.name || '@' || r.version from reference r where r.annotation_set_id = s.id) as name,
           json_build_object('id', o.id, 'relationship_count', o.relationship_count) as ontology
    from annotation_set s join ontology_snapshot o on o.id = s.ontology_snapshot_id
    where s.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.number, row]));
}

/** A reference answers this number of queries. */
interface AnsweredCount {
  /** Null means the first reference of the set. */
  annotation_set_number: number | null;
  proteins: number;
}

/** Counts the queries with an answer by the reference that gave it; those in the list, or all without one. */
export async function answeredByReference(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[] | null,
): Promise<AnsweredCount[]> {
  const { rows } = await sql<AnsweredCount>`
    select annotation_set_number, count(*)::int as proteins from prediction_set_protein
    where prediction_set_number = ${setNumber} and (term_count > 0 or known_accession is not null)
      and (${accessions === null} or protein_accession = any(${accessions ?? []}::text[]))
    group by annotation_set_number order by annotation_set_number nulls first`.execute(db);
  return rows;
}

/** A query has a place in its set. */
export interface AnswerPlace {
  /** The upload has this line for the query, without the '>'; null without a query set. */
  header: string | null;
  /**
   * The previous and the next query have these accessions, in the order of the upload, or else by accession.
   */
  previous: string | null;
  next: string | null;
}

/** If the set is not complete, at most all entries of the upload are read. */
export const placeOf = prepared((db, setId: string, accession: string) => {
  const byPosition = (compared: '<' | '>', order: 'asc' | 'desc') => sql`
    (select e.accession from query_set_entry e
     where e.query_set_id = own.query_set_id and e.position ${sql.raw(compared)} own.position
       and exists (select from prediction_set_protein q
                   where q.prediction_set_number = own.number and q.protein_accession = e.accession)
     order by e.position ${sql.raw(order)} limit 1)`;
  const byAccession = (compared: '<' | '>', order: 'asc' | 'desc') => sql`
    (select q.protein_accession from prediction_set_protein q
     where q.prediction_set_number = own.number and q.protein_accession collate "C" ${sql.raw(compared)} own.accession
     order by q.protein_accession collate "C" ${sql.raw(order)} limit 1)`;
  return sql<AnswerPlace>`
    select own.header,
      case when own.position is null then ${byAccession('<', 'desc')} else ${byPosition('<', 'desc')} end as previous,
      case when own.position is null then ${byAccession('>', 'asc')} else ${byPosition('>', 'asc')} end as next
    from (select given.accession, d.number, d.query_set_id, e.position, e.header
          from (select ${setId}::uuid as id, ${accession}::text as accession) given
          join prediction_set d on d.id = given.id
          left join query_set_entry e on e.query_set_id = d.query_set_id and e.accession = given.accession) own`.compile(
    db,
  );
});
