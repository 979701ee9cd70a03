import type { TaxonConstraint } from '@kindred/kernels/taxon-constraints';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface StoredTaxonConstraints {
  source_version: string;
  content_sha256: string;
  constraints: TaxonConstraint[];
  /** Each union of taxa has its members here. */
  unions: Record<string, string[]>;
  constraint_count: number;
  loaded_at: string;
}

export async function currentTaxonConstraints(db: Queryable): Promise<StoredTaxonConstraints | undefined> {
  const { rows } = await sql<StoredTaxonConstraints>`
    select source_version, content_sha256, constraints, unions, constraint_count, loaded_at from taxon_constraints`.execute(
    db,
  );
  return rows[0];
}

/** Identifies the loaded constraints by their content; undefined if none are loaded. */
export async function currentTaxonConstraintsHash(db: Queryable): Promise<string | undefined> {
  const row = await db.selectFrom('taxon_constraints').select('content_sha256').executeTakeFirst();
  return row?.content_sha256;
}

/**
 * Gives the release of the constraints that predictions are checked by. Null means that none are loaded, or
 * that the taxonomy is missing, which has the lineages.
 */
export async function taxonConstraintsInForce(db: Queryable): Promise<string | null> {
  const { rows } = await sql<{ source_version: string }>`
    select source_version from taxon_constraints where exists (select from taxon)`.execute(db);
  return rows[0]?.source_version ?? null;
}

/** Replaces the constraints in one statement, so readers see the old ones or the new ones. */
export async function replaceTaxonConstraints(
  db: Queryable,
  {
    source_version,
    content_sha256,
    constraints,
    unions,
  }: Omit<StoredTaxonConstraints, 'constraint_count' | 'loaded_at'>,
  jobId: string,
): Promise<void> {
  const values = {
    source_version,
    content_sha256,
    constraints: JSON.stringify(constraints),
    unions: JSON.stringify(unions),
    constraint_count: constraints.length,
    job_id: jobId,
  };
  await db
    .insertInto('taxon_constraints')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({ ...values, loaded_at: sql`clock_timestamp()` }),
    )
    .execute();
}
