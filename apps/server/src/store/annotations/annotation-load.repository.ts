import { type AnnotationRecord, ProblemError } from '@kindred/contracts';
import { sql } from 'kysely';
import { partitionOf } from '../postgres/fragments/annotation-rows.js';
import { type AnnotationStatistics, dropSet } from './annotations.repository.js';
import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../postgres/connection.js';

/**
 * These facts identify a set: two loads with the same facts make the same set, and the sha256 of their
 * content must agree.
 */
export interface SetIdentity {
  source: 'goa' | 'quickgo' | 'reference';
  sourceVersion: string;
  ontologySnapshotId: string;
}

export interface CompleteSet {
  id: string;
  content_sha256: string;
  annotation_count: number;
  protein_count: number;
  meta: Record<string, unknown>;
}

export interface LoadingSet {
  id: string;
  number: number;
}

export async function findCompleteSet(
  db: Queryable,
  identity: SetIdentity,
): Promise<CompleteSet | undefined> {
  const row = await db
    .selectFrom('annotation_set')
    .select(['id', 'content_sha256', 'annotation_count', 'protein_count', 'meta'])
    .where('source', '=', identity.source)
    .where('source_version', '=', identity.sourceVersion)
    .where('ontology_snapshot_id', '=', identity.ontologySnapshotId)
    .where('state', '=', 'complete')
    .executeTakeFirst();
  return row as CompleteSet | undefined;
}

/** Drops sets of this identity that a dead load left half filled. The caller holds the identity's lock. */
export async function dropLeftovers(db: Database, identity: SetIdentity): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows = await trx
      .selectFrom('annotation_set')
      .select('number')
      .where('source', '=', identity.source)
      .where('source_version', '=', identity.sourceVersion)
      .where('ontology_snapshot_id', '=', identity.ontologySnapshotId)
      .where('state', '=', 'loading')
      .execute();
    for (const { number } of rows) await dropSet(trx, number);
    return rows.length;
  });
}

/** Makes the row, and a table to fill that is not yet part of the parent table. */
export async function createLoadingSet(
  db: Database,
  identity: SetIdentity,
  facts: { jobId: string; meta: Record<string, unknown> },
): Promise<LoadingSet> {
  return inTransaction(db, async (trx) => {
    const set = await trx
      .insertInto('annotation_set')
      .values({
        source: identity.source,
        source_version: identity.sourceVersion,
        ontology_snapshot_id: identity.ontologySnapshotId,
        job_id: facts.jobId,
        meta: JSON.stringify(facts.meta),
      })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
    // The check spares the attachment a scan of the whole table.
    await trx.client.query(`
      create table ${partitionOf(set.number)} (
        like protein_go_annotation including defaults,
        check (annotation_set_number = ${set.number}))`);
    return set;
  });
}

const columns = [
  'annotation_set_number',
  'protein_id',
  'go_term_id',
  'qualifier',
  'evidence_code',
  'assigned_by',
  'db_reference',
  'with_from',
  'annotation_date',
] as const;

/** The rows are on their way into one set. */
export class AnnotationRows {
  readonly #rows = new BinaryRows(columns.length);
  readonly #setNumber: number;

  constructor(setNumber: number) {
    this.#setNumber = setNumber;
  }

  get count(): number {
    return this.#rows.rowCount;
  }

  add(proteinId: number, termId: number, record: AnnotationRecord): void {
    const rows = this.#rows;
    rows.row();
    rows.int4(this.#setNumber);
    rows.int4(proteinId);
    rows.int4(termId);
    rows.text(record.qualifier);
    rows.text(record.evidenceCode);
    rows.text(record.assignedBy);
    rows.text(record.dbReference);
    rows.text(record.withFrom);
    rows.text(record.annotationDate);
  }

  /** Copies and commits the rows in one statement and one round trip. The object can't be used afterwards. */
  commit(connection: Pick<Transaction, 'client'>): Promise<void> {
    return copyBinaryRows(connection, partitionOf(this.#setNumber), columns, this.#rows);
  }
}

export interface SetFacts {
  contentSha256: string;
  annotationCount: number;
  proteinCount: number;
  statistics: AnnotationStatistics;
  /** The date is YYYY-MM-DD; null means that no row has a date. */
  newestAnnotationDate: string | null;
  meta: Record<string, unknown>;
}

/** Indexes the filled table before readers see it. */
export async function indexSet(db: Queryable, setNumber: number): Promise<void> {
  const partition = partitionOf(setNumber);
  await sql`create index on ${sql.table(partition)} (protein_id)`.execute(db);
  await sql`analyze ${sql.table(partition)}`.execute(db);
}

/**
 * Completes a set in one transaction; its commit makes all rows of the set visible.
 * @throws ProblemError conflict when the row was taken away meanwhile
 */
export async function attachSet(trx: Transaction, set: LoadingSet, facts: SetFacts): Promise<void> {
  const row = await trx
    .selectFrom('annotation_set')
    .select('state')
    .where('number', '=', set.number)
    .forUpdate()
    .executeTakeFirst();
  if (row?.state !== 'loading') {
    throw new ProblemError('conflict', `Annotation set ${set.id} was removed while it was being loaded.`);
  }
  const partition = partitionOf(set.number);
  await trx.client.query(
    `alter table protein_go_annotation attach partition ${partition} for values in (${set.number})`,
  );
  await trx
    .updateTable('annotation_set')
    .set({
      state: 'complete',
      content_sha256: facts.contentSha256,
      annotation_count: facts.annotationCount,
      protein_count: facts.proteinCount,
      statistics: JSON.stringify(facts.statistics),
      newest_annotation_date: facts.newestAnnotationDate,
      meta: JSON.stringify(facts.meta),
    })
    .where('number', '=', set.number)
    .execute();
}
