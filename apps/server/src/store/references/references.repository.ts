import { type Insertable, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { announceChange } from '../postgres/notifications.js';
import type { AnnotationStatistics, ReferencePart } from '../postgres/column-types.js';
import type { Tables } from '../postgres/tables.generated.js';

export type { ReferenceInputs, ReferencePart, ReferenceSource } from '../postgres/column-types.js';

export type ReferenceRow = Selectable<Tables['reference']>;
export interface ReferenceVectors {
  embedding_config_id: string;
  model_name: string;
  dimension: number;
  vector_count: number;
}
/** A reference comes with the facts of its parts. */
export interface DescribedReference extends ReferenceRow {
  obo_version: string | null;
  annotation_count: number | null;
  annotated_protein_count: number | null;
  statistics: AnnotationStatistics | null;
  is_default: boolean;
  vectors: ReferenceVectors[];
}

function described(db: Queryable) {
  return db
    .selectFrom('reference')
    .leftJoin('annotation_set', 'annotation_set.id', 'reference.annotation_set_id')
    .leftJoin('ontology_snapshot', 'ontology_snapshot.id', 'reference.ontology_snapshot_id')
    .selectAll('reference')
    .select([
      'ontology_snapshot.obo_version',
      'annotation_set.annotation_count',
      'annotation_set.protein_count as annotated_protein_count',
      'annotation_set.statistics',
      sql<boolean>`exists (select from annotate_reference d where d.annotation_set_id = reference.annotation_set_id)`.as(
        'is_default',
      ),
      sql<ReferenceVectors[]>`coalesce((
        select jsonb_agg(jsonb_build_object('embedding_config_id', c.id, 'model_name', c.model_name,
          'dimension', c.dimension, 'vector_count', v.vector_count) order by v.position)
        from reference_vectors v join embedding_config c on c.id = v.embedding_config_id
        where v.reference_number = reference.number), '[]')`.as('vectors'),
    ]);
}

/** Lists references, newest first. */
export async function listReferences(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<DescribedReference>> {
  return pageOf(db, described(db), { table: 'reference' }, { limit, after });
}

export async function findReference(db: Queryable, id: string): Promise<DescribedReference | undefined> {
  return described(db).where('reference.id', '=', id).executeTakeFirst();
}

/** Finds the reference `name@version`, or the newest of the name, preferably a complete one. */
export async function findReferenceByName(
  db: Queryable,
  { name, version }: { name: string; version: string | null },
): Promise<DescribedReference | undefined> {
  return described(db)
    .where('reference.name', '=', name)
    .$if(version !== null, (query) => query.where('reference.version', '=', version as string))
    .orderBy(sql`reference.status = 'complete'`, 'desc')
    .orderBy('reference.created_at', 'desc')
    .orderBy('reference.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function referenceOfSet(
  db: Queryable,
  annotationSetId: string,
): Promise<ReferenceRow | undefined> {
  return db
    .selectFrom('reference')
    .selectAll()
    .where('annotation_set_id', '=', annotationSetId)
    .executeTakeFirst();
}

/** Locks the name until the transaction ends, so that two requests do not begin the same build. */
export async function lockReferenceName(trx: Transaction, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`reference ${name}`}, 0))`.execute(trx);
}

/** Finds the newest reference that was requested with equal sources. */
export async function findEqualReference(
  trx: Transaction,
  name: string,
  inputsSha256: string,
): Promise<ReferenceRow | undefined> {
  return trx
    .selectFrom('reference')
    .selectAll()
    .where('name', '=', name)
    .where('inputs_sha256', '=', inputsSha256)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function isVersionTaken(db: Queryable, name: string, version: string): Promise<boolean> {
  const row = await db
    .selectFrom('reference')
    .select('id')
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertReference(
  trx: Transaction,
  values: Insertable<Tables['reference']>,
  embeddingConfigIds: readonly string[],
): Promise<ReferenceRow> {
  const row = await trx.insertInto('reference').values(values).returningAll().executeTakeFirstOrThrow();
  for (const [position, id] of embeddingConfigIds.entries()) {
    await trx
      .insertInto('reference_vectors')
      .values({ reference_number: row.number, position, embedding_config_id: id })
      .execute();
  }
  return row;
}

/** Notes that the build begins, or begins again. */
export async function beginBuild(trx: Transaction, id: string, jobId: string): Promise<void> {
  await trx
    .updateTable('reference')
    .set({ status: 'building', error: null, job_id: jobId })
    .where('id', '=', id)
    .execute();
}

export async function setReferenceSnapshot(db: Queryable, id: string, snapshotId: string): Promise<void> {
  await db.updateTable('reference').set({ ontology_snapshot_id: snapshotId }).where('id', '=', id).execute();
}

export async function setReferenceAnnotations(db: Queryable, id: string, setId: string): Promise<void> {
  await db.updateTable('reference').set({ annotation_set_id: setId }).where('id', '=', id).execute();
}

/**
 * Marks a reference as complete, so that it no longer changes. False means that it is no longer being built.
 */
export async function completeReference(
  trx: Transaction,
  id: string,
  facts: {
    contentSha256: string;
    /** A reference that was not built in steps has this snapshot. */
    snapshotId?: string;
    annotationSetId?: string;
    parts: ReferencePart[];
    proteinCount: number;
    leftOut: Record<string, number>;
    vectorCounts: readonly number[];
  },
): Promise<boolean> {
  const row = await trx
    .updateTable('reference')
    .set({
      status: 'complete',
      content_sha256: facts.contentSha256,
      ...(facts.snapshotId === undefined ? {} : { ontology_snapshot_id: facts.snapshotId }),
      ...(facts.annotationSetId === undefined ? {} : { annotation_set_id: facts.annotationSetId }),
      parts: JSON.stringify(facts.parts),
      protein_count: facts.proteinCount,
      left_out: JSON.stringify(facts.leftOut),
      error: null,
      completed_at: sql`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('status', '=', 'building')
    .returning('number')
    .executeTakeFirst();
  if (row === undefined) return false;
  for (const [position, count] of facts.vectorCounts.entries()) {
    await trx
      .updateTable('reference_vectors')
      .set({ vector_count: count })
      .where('reference_number', '=', row.number)
      .where('position', '=', position)
      .execute();
  }
  // Replies about a protein name the references that have it.
  await announceChange(trx, 'protein');
  return true;
}

/** Deletes its row and its list of proteins, but keeps the annotation set. */
export async function deleteReference(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('reference').where('id', '=', id).execute();
  // Replies about a protein name the references that have it.
  await announceChange(trx, 'protein');
}

/** A step of a build is a child of the job that ends it. */
export interface BuildStep {
  id: string;
  operation: string;
  status: string;
  payload: Record<string, unknown>;
  result: Record<string, unknown> | null;
  error_message: string | null;
}

export async function buildSteps(db: Queryable, parentJobId: string): Promise<BuildStep[]> {
  return db
    .selectFrom('job')
    .select(['id', 'operation', 'status', 'payload', 'result', 'error_message'])
    .where('parent_job_id', '=', parentJobId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(50)
    .execute();
}

/** The parent job waits for this step, and checks the other steps itself. */
export async function waitFor(trx: Transaction, jobId: string, waitsForJobId: string): Promise<void> {
  await trx.updateTable('job').set({ waits_for_job_id: waitsForJobId }).where('id', '=', jobId).execute();
}
