import { type TruthCategory, truthCategories } from '@kindred/contracts';
import type { Selectable } from 'kysely';
import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { markOf, type ReferenceMark } from '../postgres/fragments/references.js';
import type { Tables } from '../postgres/tables.generated.js';
import type { EvaluationStatistics } from '../postgres/column-types.js';

export type { EvaluationStatistics, HoldoutCount } from '../postgres/column-types.js';

export type EvaluationSetRow = Selectable<Tables['evaluation_set']>;

/** A set has the names of the sets that it was made from. */
export type NamedEvaluationSetRow = EvaluationSetRow & {
  old_source: string;
  old_version: string;
  new_source: string;
  new_version: string;
  obo_version: string;
  /** The annotation set belongs to this reference; null if it belongs to none. */
  old_reference: ReferenceMark | null;
  new_reference: ReferenceMark | null;
};

function named(db: Queryable) {
  return db
    .selectFrom('evaluation_set')
    .innerJoin('annotation_set as old', 'old.id', 'evaluation_set.old_annotation_set_id')
    .innerJoin('annotation_set as new', 'new.id', 'evaluation_set.new_annotation_set_id')
    .innerJoin('ontology_snapshot', 'ontology_snapshot.id', 'evaluation_set.ontology_snapshot_id')
    .selectAll('evaluation_set')
    .select([
      'old.source as old_source',
      'old.source_version as old_version',
      'new.source as new_source',
      'new.source_version as new_version',
      'ontology_snapshot.obo_version',
      markOf('old.id').as('old_reference'),
      markOf('new.id').as('new_reference'),
    ]);
}

/** Lists evaluation sets, newest first. */
export async function listEvaluationSets(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<NamedEvaluationSetRow>> {
  const chosen = named(db);
  return pageOf(db, chosen, { table: 'evaluation_set' }, { limit, after });
}

export async function findEvaluationSet(
  db: Queryable,
  id: string,
): Promise<NamedEvaluationSetRow | undefined> {
  return named(db).where('evaluation_set.id', '=', id).executeTakeFirst();
}

export async function findEvaluationSetOfPair(
  db: Queryable,
  pair: { oldId: string; newId: string },
): Promise<NamedEvaluationSetRow | undefined> {
  return named(db)
    .where('old_annotation_set_id', '=', pair.oldId)
    .where('new_annotation_set_id', '=', pair.newId)
    .executeTakeFirst();
}

export interface NewEvaluationSet {
  oldId: string;
  newId: string;
  ontologySnapshotId: string;
  jobId: string;
  rules: Record<string, unknown>;
  stats: EvaluationStatistics;
  /** The pairs are rows of `protein` and `go_term`. */
  truth: Record<TruthCategory, { protein: Int32Array; term: Int32Array }>;
}

/** Writes the set, and its truth by COPY. */
export async function insertEvaluationSet(trx: Transaction, set: NewEvaluationSet): Promise<{ id: string }> {
  const row = await trx
    .insertInto('evaluation_set')
    .values({
      old_annotation_set_id: set.oldId,
      new_annotation_set_id: set.newId,
      ontology_snapshot_id: set.ontologySnapshotId,
      job_id: set.jobId,
      rules: JSON.stringify(set.rules),
      stats: JSON.stringify(set.stats),
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  const rows = new BinaryRows(4);
  for (const category of truthCategories) {
    const { protein, term } = set.truth[category];
    for (let i = 0; i < protein.length; i++) {
      rows.row();
      rows.int4(row.number);
      rows.text(category);
      rows.int4(protein[i]);
      rows.int4(term[i]);
    }
  }
  const columns = ['evaluation_set_number', 'category', 'protein_id', 'go_term_id'];
  await copyBinaryRows(trx, 'evaluation_truth', columns, rows);
  return { id: row.id };
}

/** Gives the number of a set and locks its row until the transaction ends; undefined for an unknown id. */
export async function lockEvaluationSet(trx: Transaction, id: string): Promise<number | undefined> {
  const set = await trx
    .selectFrom('evaluation_set')
    .select('number')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return set?.number;
}

export async function deleteEvaluationSet(
  trx: Transaction,
  setNumber: number,
): Promise<{ truth_deleted: number }> {
  const truth = await trx
    .deleteFrom('evaluation_truth')
    .where('evaluation_set_number', '=', setNumber)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom('evaluation_set').where('number', '=', setNumber).execute();
  return { truth_deleted: Number(truth.numDeletedRows) };
}
