import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let base: string;

beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  base = `/v1/embeddings/prediction-sets/${data.predictionSetId}`;
});
afterAll(() => test?.close());

it('has the length and the organism of each protein, as its own answer has', async () => {
  const { body } = await test.call({ url: `${base}/overview` });
  expect(body.proteins.length).toBeGreaterThan(0);
  for (const { accession, length, organism } of body.proteins) {
    const stored = await test.db
      .selectFrom('prediction_set_protein as q')
      .innerJoin('sequence as s', 's.id', 'q.sequence_id')
      .select('s.length')
      .where('q.protein_accession', '=', accession)
      .executeTakeFirstOrThrow();
    expect(length).toBe(stored.length);
    const answer = await test.call({ url: `${base}/proteins/${accession}/answer` });
    expect(organism).toBe(answer.body.organism);
  }
});

it('says which terms say little, and which do not', async () => {
  const { db } = test;
  const snapshot = data.snapshotId;
  await sql`insert into go_term (ontology_snapshot_id, go_id, name, aspect)
    values (${snapshot}, 'GO:0003677', 'DNA binding', 'F')`.execute(db);
  await sql`insert into go_term_relationship (ontology_snapshot_id, child_go_term_id, parent_go_term_id, relation_type)
    select ${snapshot}::uuid, d.id, b.id, 'is_a' from go_term d, go_term b
    where d.go_id = 'GO:0003677' and b.go_id = 'GO:0005488'`.execute(db);
  const predict = (goId: string) =>
    sql`update go_prediction set go_term_id = (select id from go_term where go_id = ${goId})
      where is_nearest`.execute(db);
  const shown = async () => (await test.call({ url: `${base}/overview` })).body.terms;
  for (const [goId, isGeneral] of [
    ['GO:0005488', true],
    ['GO:0005515', true],
    ['GO:0003677', false],
  ] as const) {
    await predict(goId);
    expect((await shown())[goId]?.is_general, goId).toBe(isGeneral);
  }
});
