import { OntologyGraph } from '@kindred/kernels/ontology';
import { patienceMs } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listAnnotationSets } from '../../../store/annotations/annotations.repository.js';
import { ontologyColumns } from '../../../store/ontology/ontology-columns.repository.js';
import { closeDatabase, type Database, openDatabase } from '../../../store/postgres/connection.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { exampleDatabase, type ExampleDatabase } from '../../../testing/test-database.js';

const proteomes = 50;
const proteinsOfEach = 2000;

let database: ExampleDatabase;
let db: Database;
let test: TestApp;
let runs: { id: string; number: number }[];

/**
 * Makes runs whose proteins have terms of proteins of the example set, each an answer, and as many predictions
 * below its end. Rows lie as runs write them, one run after the other.
 */
beforeAll(async () => {
  database = await exampleDatabase();
  db = openDatabase(database.url, 4);
  test = await startTestApp({}, null, { db });
  const [set] = (await listAnnotationSets(db, 1)).rows;
  runs = await db
    .insertInto('prediction_set')
    .values(
      Array.from({ length: proteomes }, () => ({
        annotation_set_id: set.id,
        ontology_snapshot_id: set.ontology_snapshot_id,
        ...{ method: 'combined', metric: 'cosine', limit_per_entry: 5, status: 'complete' as const },
        ...{ protein_count: proteinsOfEach, prediction_count: 1 },
      })),
    )
    .returning(['id', 'number'])
    .execute();
  const numbers = runs.map(({ number }) => number);
  await sql`
    insert into prediction_set_protein (prediction_set_number, protein_accession, sequence_id, term_count, prediction_count)
    select d, 'Q' || n, (select min(id) from sequence), 0, 0
    from unnest(${numbers}::int[]) d cross join generate_series(1, ${proteinsOfEach}::int) n`.execute(db);
  await sql`
    with known as (
      select dense_rank() over (order by a.protein_id) as place, a.go_term_id
      from protein_go_annotation a where a.annotation_set_number = ${set.number}
      group by a.protein_id, a.go_term_id),
    source as (select *, (select max(place) from known) as places from known)
    insert into go_prediction (prediction_set_number, protein_accession, go_term_id, is_nearest, score, probability,
      answer_rank, term_rank, source_kind)
    select d, 'Q' || n, s.go_term_id, true, p.probability, p.probability, 1, 1, 'none'
    from unnest(${numbers}::int[]) with ordinality as runs (d, run)
    cross join generate_series(1, ${proteinsOfEach}::int) n
    join source s on s.place = 1 + (n + run * 17) % s.places
    cross join (values (0.9), (0.001)) p (probability)
    order by d, n`.execute(db);
  await sql`analyze go_prediction, prediction_set_protein`.execute(db);
}, 10 * patienceMs);
afterAll(async () => {
  await test?.close();
  if (db !== undefined) await closeDatabase(db);
  await database?.close();
});

interface Reply {
  proteomes: { proteins: number; annotated: number }[];
  rows: { go_id: string; counts: number[] }[];
}
async function matrix(): Promise<Reply> {
  const { status, body } = await test.call({
    method: 'POST',
    url: '/v1/embeddings/prediction-sets/matrix',
    payload: { prediction_set_ids: runs.map(({ id }) => id), limit: 20_000 },
  });
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  return body;
}

it(
  'counts fifty proteomes as a count of each protein does, and keeps the counts',
  async () => {
    const first = await matrix();
    const again = await matrix();
    expect(again).toEqual(first);
    expect(first.proteomes.map(({ proteins }) => proteins)).toEqual(
      new Array(proteomes).fill(proteinsOfEach),
    );
    const at = 7;
    const slow = await slowCounts(runs[at].number);
    const found = new Map(first.rows.map(({ go_id, counts }) => [go_id, counts[at]]));
    expect(slow.size).toBeGreaterThan(1000);
    for (const [goId, count] of slow) expect(found.get(goId), goId).toBe(count);
    for (const [goId, count] of found) expect(slow.get(goId) ?? 0, goId).toBe(count);
  },
  10 * patienceMs,
);

/** Counts the proteins of each term from all rows, protein by protein. */
async function slowCounts(number: number): Promise<Map<string, number>> {
  const [set] = (await listAnnotationSets(db, 1)).rows;
  const graph = new OntologyGraph(await ontologyColumns(db, set.ontology_snapshot_id));
  const { rows } = await sql<{ go_ids: string[] }>`
    select array_agg(t.go_id) as go_ids from go_prediction p join go_term t on t.id = p.go_term_id
    where p.prediction_set_number = ${number} and p.probability >= 0.5 group by p.protein_accession`.execute(
    db,
  );
  const counts = new Map<string, number>();
  for (const { go_ids } of rows) {
    const all = new Set(go_ids.map((goId) => graph.liveIndexOf(goId)).filter((term) => term >= 0));
    for (const term of graph.ancestorsOf([...all])) {
      const goId = graph.termIds[term];
      counts.set(goId, (counts.get(goId) ?? 0) + 1);
    }
  }
  return counts;
}
