import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { fillCatalogue, type TestData } from '../../testing/tiny-catalogue.js';
import { deltaProteinPages } from '../evaluation/evaluation-truth.repository.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { knownOfProteins } from '../predictions/known-annotations.repository.js';
import { storeSequences } from '../proteins/sequences.repository.js';

let database: TestDatabase;
let db: Database;
let data: TestData;
let setNumber: number;

/**
 * Makes a reference of the annotation set in which P00001 has another sequence and another taxon than in the
 * catalogue.
 */
async function makeReference(annotationSetId: string, sequence: string, taxonomyId: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { ids } = await storeSequences(trx, [sequence]);
    const { number } = await trx
      .insertInto('reference')
      .values({ name: sequence, version: '1', status: 'complete', annotation_set_id: annotationSetId })
      .returning('number')
      .executeTakeFirstOrThrow();
    const { id } = await trx
      .selectFrom('protein')
      .select('id')
      .where('accession', '=', 'P00001')
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('reference_protein')
      .values({ reference_number: number, protein_id: id, sequence_id: ids[0], taxonomy_id: taxonomyId })
      .execute();
  });
}

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
  data = await fillCatalogue(db);
  await sql`insert into taxon (id, parent_id, name, rank) values (1, 1, 'root', 'no rank'), (559292, 1, 'Saccharomyces cerevisiae S288C', 'strain')`.execute(
    db,
  );
  const { rows } = await sql<{ number: number }>`
    with later as (
      insert into annotation_set (source, source_version, ontology_snapshot_id, state)
      values ('goa', 'later', ${data.snapshotId}, 'complete') returning id)
    insert into evaluation_set (old_annotation_set_id, new_annotation_set_id, ontology_snapshot_id, rules, stats)
    select ${data.setId}, id, ${data.snapshotId}, '{}', '{}' from later returning number`.execute(db);
  setNumber = rows[0].number;
  await sql`insert into evaluation_truth (evaluation_set_number, category, protein_id, go_term_id)
    select ${setNumber}::int, 'NK', p.id, (select min(id) from go_term) from protein p`.execute(db);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const inDelta = async () => {
  const rows = [];
  for await (const page of deltaProteinPages(db, { setNumber, categories: ['NK'] })) rows.push(...page);
  return rows.map(({ accession, sequence, taxonomy_id, organism }) => [
    accession,
    sequence,
    taxonomy_id,
    organism,
  ]);
};
const knownTaxon = async () => {
  const ontology = await db
    .selectFrom('ontology_snapshot')
    .select(['id', 'relationship_count'])
    .executeTakeFirstOrThrow();
  const accessions = ['P00001', 'P00002'];
  const known = await knownOfProteins(db, { annotationSetId: data.setId, ontology }, accessions);
  return accessions.map((accession) => known.get(accession)?.protein.taxonomy_id);
};
const other = ['P00002', 'MKTAYIAKQR', 10090, 'Mus musculus'];

it('proteins of an evaluation, and what is known of proteins, are those of the reference', async () => {
  expect(await inDelta()).toEqual([['P00001', 'MKTAYIAK', 9606, 'Homo sapiens'], other]);
  expect(await knownTaxon()).toEqual([9606, 10090]);
  await makeReference(data.setId, 'MKTAYIAKOLD', 10116);
  // A taxon without a name in the catalogue has none here.
  expect(await inDelta()).toEqual([['P00001', 'MKTAYIAKOLD', 10116, null], other]);
  expect(await knownTaxon()).toEqual([10116, 10090]);
  const { id } = await db
    .selectFrom('annotation_set')
    .select('id')
    .where('source_version', '=', 'later')
    .executeTakeFirstOrThrow();
  await makeReference(id, 'MKTAYIAKNEW', 559292);
  // The truth comes from the newer set.
  expect(await inDelta()).toEqual([
    ['P00001', 'MKTAYIAKNEW', 559292, 'Saccharomyces cerevisiae S288C'],
    other,
  ]);
  expect(await knownTaxon()).toEqual([10116, 10090]);
});
