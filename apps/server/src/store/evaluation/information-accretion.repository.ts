import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type InformationAccretionRow = Selectable<Tables['information_accretion']>;

/** Information accretion is computed from these inputs. */
export interface AccretionSource {
  ontologySnapshotId: string;
  annotationSetId: string;
  /** Evidence codes are in alphabetical order. */
  evidence: readonly string[];
}

export async function findInformationAccretion(
  db: Queryable,
  source: AccretionSource,
): Promise<InformationAccretionRow | undefined> {
  return db
    .selectFrom('information_accretion')
    .selectAll()
    .where('ontology_snapshot_id', '=', source.ontologySnapshotId)
    .where('annotation_set_id', '=', source.annotationSetId)
    .where('evidence', '=', sql<string[]>`${[...source.evidence]}::text[]`)
    .executeTakeFirst();
}

export interface NewInformationAccretion extends AccretionSource {
  sha256: string;
  proteinCount: number;
  goIds: string[];
  bits: Float64Array;
}

/** Two jobs may compute the same values at once, so the first row stays. */
export async function insertInformationAccretion(
  db: Queryable,
  values: NewInformationAccretion,
): Promise<void> {
  await db
    .insertInto('information_accretion')
    .values({
      ontology_snapshot_id: values.ontologySnapshotId,
      annotation_set_id: values.annotationSetId,
      evidence: [...values.evidence],
      sha256: values.sha256,
      protein_count: values.proteinCount,
      term_count: values.goIds.length,
      go_ids: values.goIds,
      bits: [...values.bits],
    })
    .onConflict((conflict) =>
      conflict.columns(['ontology_snapshot_id', 'annotation_set_id', 'evidence']).doNothing(),
    )
    .execute();
}

export async function informationOfSet(
  db: Queryable,
  { annotationSetId, snapshotId }: { annotationSetId: string; snapshotId: string },
): Promise<InformationAccretionRow[]> {
  return db
    .selectFrom('information_accretion')
    .selectAll()
    .where('annotation_set_id', '=', annotationSetId)
    .where('ontology_snapshot_id', '=', snapshotId)
    .orderBy('evidence')
    .execute();
}
