import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EnrichmentMethod, enrichmentMethods, listEnrichment } from '@kindred/kernels/enrichment';
import { OntologyGraph } from '@kindred/kernels/ontology';
import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { listAnnotationSets } from '../../../store/annotations/annotations.repository.js';
import * as annotatedTerms from '../../../store/annotations/annotated-terms.repository.js';
import { ontologyColumns, type StoredOntology } from '../../../store/ontology/ontology-columns.repository.js';
import { insertSlim } from '../../../store/ontology/slims.repository.js';
import { closeDatabase, type Database, openDatabase } from '../../../store/postgres/connection.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { exampleDatabase, type ExampleDatabase } from '../../../testing/test-database.js';

let database: ExampleDatabase;
let db: Database;
let test: TestApp;
let set: { id: string; number: number; ontology_snapshot_id: string };
let ontology: StoredOntology;
let graph: OntologyGraph;
const slimTerms = ['GO:0008150', 'GO:0003824', 'GO:0005634', 'GO:0016787', 'GO:0006810', 'GO:0043226'];

beforeAll(async () => {
  database = await exampleDatabase();
  db = openDatabase(database.url, 4);
  test = await startTestApp({}, null, { db });
  [set] = (await listAnnotationSets(db, 1)).rows;
  ontology = await ontologyColumns(db, set.ontology_snapshot_id);
  graph = new OntologyGraph(ontology);
  const slim = { name: 'goslim_few', version: 'v1', obo_url: 'file:///few.obo' };
  const terms = slimTerms.map((go_id) => ({ go_id, name: go_id, aspect: 'F' as const }));
  await insertSlim(db, { ...slim, terms }, set.ontology_snapshot_id);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await test?.close();
  if (db !== undefined) await closeDatabase(db);
  await database?.close();
});

interface Row {
  go_id: string;
  list_with_term: number;
  list: number;
  population_with_term: number;
  population: number;
  p_value: number;
  false_discovery_rate: number;
}

/** Computes the answer from all proteins of the set, one by one. */
async function slowAnswer(list: readonly string[], method: EnrichmentMethod, isSlimmed: boolean) {
  const { rows } = await db.pool.query<{ accession: string; go_ids: string[] }>(
    `select p.accession, array_agg(distinct t.go_id) as go_ids
     from protein_go_annotation a join go_term t on t.id = a.go_term_id join protein p on p.id = a.protein_id
     where a.annotation_set_number = $1 and a.evidence_code <> 'ND' and not t.is_obsolete
       and coalesce(a.qualifier, '') !~* 'NOT' group by 1 order by 1`,
    [set.number],
  );
  const start = [0];
  const terms = rows.flatMap(({ go_ids }) => {
    const numbers = go_ids.map((goId) => graph.liveIndexOf(goId));
    start.push((start.at(-1) as number) + numbers.length);
    return numbers;
  });
  const annotated = {
    accessions: rows.map(({ accession }) => accession),
    rows: { start: Int32Array.from(start), terms: Int32Array.from(terms) },
  };
  const slim = isSlimmed ? slimTerms.map((goId) => graph.liveIndexOf(goId)) : null;
  const { tested, ...sizes } = listEnrichment(graph, annotated, {
    list: new Set(list),
    population: null,
    method,
    slim,
  });
  const shown = tested.slice(0, 10_000).map((row) => ({
    go_id: graph.termIds[row.term],
    list_with_term: row.studyCount,
    list: row.studySize,
    population_with_term: row.populationCount,
    population: row.populationSize,
    p_value: row.pValue,
    false_discovery_rate: row.qValue,
  }));
  const { absent, studied, population } = sizes;
  return { studied, population, absent: absent.slice(0, 100), tested: tested.length, shown };
}

async function answer(
  app: TestApp['app'],
  list: readonly string[],
  method: EnrichmentMethod,
  isSlimmed: boolean,
) {
  const reply = await app.inject({
    method: 'POST',
    url: `/v1/annotations/sets/${set.id}/enrichment`,
    payload: {
      accessions: list,
      method,
      max_rate: 1,
      limit: 10_000,
      ...(isSlimmed ? { slim: 'goslim_few' } : {}),
    },
  });
  expect(reply.statusCode, reply.body).toBe(200);
  const { terms, list: studied, population, tested, absent } = reply.json();
  const shown = terms.map(
    ({ go_name: _, aspect: __, direction: ___, ...row }: Row & Record<string, unknown>) => row,
  );
  return { studied, population, tested, absent, shown };
}

const sample = async (share: number): Promise<string[]> => {
  const { rows } = await db.pool.query<{ accession: string }>(
    'select accession from protein where hashtext(accession) % 1000 between 0 and $1 order by accession',
    [Math.round(share * 1000)],
  );
  return rows.map(({ accession }) => accession);
};

/**
 * Takes all annotations from some proteins, as in another reference, and gives an app that has not counted
 * it.
 */
async function shrink(condition: string): Promise<TestApp['app']> {
  await db.pool.query(
    `delete from protein_go_annotation a using protein p
     where p.id = a.protein_id and a.annotation_set_number = $1 and ${condition}`,
    [set.number],
  );
  return test.sibling({ cacheDir: join(test.settings.cacheDir, randomUUID()) });
}

it('answers from counts what going through every protein answers, for several references', async () => {
  const references = [
    async () => test.app,
    async () => shrink('hashtext(p.accession) % 3 = 0'),
    async () => shrink("hashtext(p.accession || a.go_term_id) % 2 = 0 and a.evidence_code <> 'IEA'"),
  ];
  for (const [at, reference] of references.entries()) {
    const app = await reference();
    for (const share of [0.01, 0.4])
      for (const method of enrichmentMethods)
        for (const isSlimmed of [false, true]) {
          const list = [...(await sample(share)), 'ABSENT'];
          const found = await answer(app, list, method, isSlimmed);
          const name = `reference ${at}, ${share} of it, ${method}, slim ${isSlimmed}`;
          const slow = await slowAnswer(list, method, isSlimmed);
          expect(found, name).toEqual(slow);
          expect(found.tested, name).toBeGreaterThan(2);
        }
  }
});

it('goes through the set once: never again in this process, nor in the next', async () => {
  const pages = vi.spyOn(annotatedTerms, 'annotatedTermPages');
  const cacheDir = join(test.settings.cacheDir, randomUUID());
  const list = await sample(0.05);
  const first = await test.sibling({ cacheDir });
  const ask = (app: TestApp['app'], method: EnrichmentMethod, isSlimmed: boolean) =>
    answer(app, list, method, isSlimmed);
  const answers = await Promise.all([ask(first, 'classic', false), ask(first, 'classic', true)]);
  expect(pages).toHaveBeenCalledTimes(1);
  // With a slim, parent_child counts the parents among the terms of the slim, so it reads the set again.
  const nested = await ask(first, 'parent_child', true);
  expect(pages).toHaveBeenCalledTimes(2);
  const next = await test.sibling({ cacheDir: `${cacheDir}/` });
  expect(await ask(next, 'classic', false)).toEqual(answers[0]);
  expect(await ask(next, 'classic', true)).toEqual(answers[1]);
  expect(await ask(next, 'parent_child', true)).toEqual(nested);
  expect(pages).toHaveBeenCalledTimes(2);
  const folder = join(cacheDir, 'term-counts');
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  // A file that a crash cut off is made again.
  for (const file of files) await writeFile(join(folder, file), '{"proteins": 3, "withTerm": [1');
  const repaired = await test.sibling({ cacheDir: `${cacheDir}//` });
  expect(await ask(repaired, 'classic', false)).toEqual(answers[0]);
  expect(pages).toHaveBeenCalledTimes(3);
});

it('says that it counts where that takes long, counts each set once, in turn, and answers afterwards', async () => {
  const cacheDir = join(test.settings.cacheDir, randomUUID());
  const app = await test.sibling({ cacheDir });
  const list = await sample(0.05);
  const real = annotatedTerms.annotatedTermPages;
  let open = 0;
  let most = 0;
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const pages = vi.spyOn(annotatedTerms, 'annotatedTermPages').mockImplementation(async function* (...of) {
    most = Math.max(most, ++open);
    await held;
    yield* real(...of);
    open--;
  });
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    // The wait for the counts is over at once, that for the answer never.
    if (ms < 120_000) setImmediate(() => controller.abort(new DOMException('late', 'TimeoutError')));
    return controller.signal;
  });
  const ask = (method: EnrichmentMethod) =>
    app.inject({
      method: 'POST',
      url: `/v1/annotations/sets/${set.id}/enrichment`,
      payload: { accessions: list, method, slim: 'goslim_few' },
    });
  for (const method of ['classic', 'parent_child', 'classic', 'parent_child'] as const) {
    const early = await ask(method);
    expect(early.statusCode, early.body).toBe(503);
    expect(early.json().code).toBe('being_counted');
    expect(early.json().detail).toMatch(/is counting how many proteins .* Ask again in 5 seconds/);
    expect(early.headers['retry-after']).toBe('5');
  }
  letThrough();
  const folder = join(cacheDir, 'term-counts');
  const isKept = async () => (await readdir(folder).catch(() => [])).filter((name) => /json$/.test(name));
  await vi.waitFor(async () => expect(await isKept()).toHaveLength(2), patience);
  expect(pages).toHaveBeenCalledTimes(2);
  expect(most).toBe(1);
  timeout.mockRestore();
  const counted = await answer(app, list, 'parent_child', true);
  expect(counted).toEqual(await slowAnswer(list, 'parent_child', true));
  expect(pages).toHaveBeenCalledTimes(2);
});
