import type { Database } from '../store/postgres/connection.js';

export interface TruthPair {
  category: 'NK' | 'LK' | 'PK' | 'known';
  accession: string;
  goId: string;
}

/**
 * Makes an evaluation set between the annotation set of fillCatalogue and a later one, with exactly this
 * truth, creates its proteins, and returns its id.
 */
export async function insertTruth(
  db: Database,
  { setId, snapshotId }: { setId: string; snapshotId: string },
  truth: readonly TruthPair[],
): Promise<string> {
  const sequence = await db.selectFrom('sequence').select('id').limit(1).executeTakeFirstOrThrow();
  const accessions = [...new Set(truth.map(({ accession }) => accession))];
  const proteins = await db
    .insertInto('protein')
    .values(
      accessions.map((accession) => ({
        accession,
        canonical_accession: accession,
        length: 8,
        sequence_id: sequence.id,
      })),
    )
    .returning(['id', 'accession'])
    .execute();
  const proteinIds = new Map(proteins.map(({ id, accession }) => [accession, id]));
  const terms = await db.selectFrom('go_term').select(['id', 'go_id']).execute();
  const termIds = new Map(terms.map(({ id, go_id }) => [go_id, id]));
  const later = await db
    .insertInto('annotation_set')
    .columns(['ontology_snapshot_id', 'source', 'source_version', 'state'])
    .expression((old) =>
      old
        .selectFrom('annotation_set')
        .select(['ontology_snapshot_id', 'source'])
        .select(({ val }) => [val('later').as('source_version'), val('complete').as('state')])
        .where('id', '=', setId),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  const set = await db
    .insertInto('evaluation_set')
    .values({
      old_annotation_set_id: setId,
      new_annotation_set_id: later.id,
      ontology_snapshot_id: snapshotId,
      rules: '{}',
      stats: '{}',
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  const rows = truth.map(({ category, accession, goId }) => ({
    evaluation_set_number: set.number,
    category,
    protein_id: proteinIds.get(accession) as number,
    go_term_id: termIds.get(goId) as number,
  }));
  await db.insertInto('evaluation_truth').values(rows).execute();
  return set.id;
}
