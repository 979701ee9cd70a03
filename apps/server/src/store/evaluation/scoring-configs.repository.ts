import type { SignalName } from '@kindred/kernels/scoring';
import type { Selectable } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export interface ScoringParams {
  ia_prior?: { enabled: boolean; gamma: number; source: 'frequency' };
}
export type ScoringConfigRow = Omit<
  Selectable<Tables['scoring_config']>,
  'formula' | 'weights' | 'evidence_weights' | 'params'
> & {
  formula: 'linear' | 'evidence_weighted';
  weights: Partial<Record<SignalName, number>>;
  /** Each GO evidence code has its weight. */
  evidence_weights: Partial<Record<string, number>> | null;
  params: ScoringParams;
};
export type NewScoringConfig = Omit<ScoringConfigRow, 'id' | 'created_at'>;

/** Lists scoring configurations, newest first. */
export async function listScoringConfigs(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<ScoringConfigRow>> {
  const chosen = db.selectFrom('scoring_config').selectAll();
  const page = await pageOf(db, chosen, { table: 'scoring_config' }, { limit, after });
  return page as Page<ScoringConfigRow>;
}

export async function findScoringConfig(db: Queryable, id: string): Promise<ScoringConfigRow | undefined> {
  const row = await db.selectFrom('scoring_config').selectAll().where('id', '=', id).executeTakeFirst();
  return row as ScoringConfigRow | undefined;
}

/** Inserts a configuration; undefined if the name is taken. */
export async function insertScoringConfig(
  db: Queryable,
  values: NewScoringConfig,
): Promise<ScoringConfigRow | undefined> {
  const row = await db
    .insertInto('scoring_config')
    .values({
      ...values,
      weights: JSON.stringify(values.weights),
      evidence_weights: values.evidence_weights && JSON.stringify(values.evidence_weights),
      params: JSON.stringify(values.params),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row as ScoringConfigRow | undefined;
}

/** Deletes a configuration; true if it existed. */
export async function deleteScoringConfig(db: Queryable, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('scoring_config')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
