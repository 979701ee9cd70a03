import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '@kindred/kernels/arrays';
import { probabilitiesOf } from '@kindred/kernels/combined';
import { sql } from 'kysely';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { storedCurves } from '../store/evaluation/calibration.repository.js';
import {
  addPredictions,
  type EvaluationWorld,
  fillEvaluationWorld,
  termId,
} from '../testing/evaluation-world.js';
import { inlineCompute } from '../testing/inline-compute.js';
import { exampleUrl, type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertKmerConfig } from '../testing/worker/worker-processes.js';
import { loadTaxonomy } from '../load/load-taxonomy.js';
import { calibrate } from './calibrate.js';
import { generateEvaluationSet } from './generate-evaluation-set.js';

/** The world has bare and known proteins whose predictions come true as often as their score says. */
let database: TestDatabase;
let db: Database;
let bench: LoadingBench;
let world: EvaluationWorld;
let evaluationSet: string;
let predictions: string;
let config: string;
let result: Record<string, unknown>;

const few = 40;
const many = 300;
/** A score is given to these terms of function; the world's root and its known terms are left out. */
const terms = [termId(3), termId(4), termId(5)];
const random = new Random(3);
const unit = () => random.uint32() / 2 ** 32;

/**
 * Draws proteins of one category, each with a prediction of every term; chance decides by the score whether
 * it is true.
 */
function drawn(prefix: string, count: number) {
  return Array.from({ length: count }, (_, i) =>
    terms.map((term) => {
      const score = Math.round(1000 * unit()) / 1000;
      return { accession: `${prefix}${i}`, term, score, isTrue: unit() < score };
    }),
  ).flat();
}

async function addProteins(accessions: readonly string[], taxon: number): Promise<void> {
  await sql`
    insert into protein (accession, canonical_accession, length, sequence_id, taxonomy_id)
    select a, a, 1, (select min(id) from sequence), ${taxon} from unnest(${accessions}::text[]) a`.execute(
    db,
  );
}

async function addTruth(category: string, rows: readonly { accession: string; term: string }[]) {
  await sql`
    insert into evaluation_truth (evaluation_set_number, category, protein_id, go_term_id)
    select (select number from evaluation_set where id = ${evaluationSet}), ${category}, p.id, t.id
    from unnest(${rows.map((row) => row.accession)}::text[], ${rows.map((row) => row.term)}::text[]) r (accession, term)
    join protein p using (accession)
    join go_term t on t.go_id = r.term and t.ontology_snapshot_id = ${world.snapshotId}`.execute(db);
}

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 4);
  bench = loadingBench(db, { services: { compute: inlineCompute() } });
  world = await fillEvaluationWorld(db);
  await bench.run(loadTaxonomy, {
    nodes_url: exampleUrl('nodes.dmp.gz'),
    names_url: exampleUrl('names.dmp.gz'),
  });
  const made = await bench.run(generateEvaluationSet, {
    old_annotation_set_id: world.oldSetId,
    new_annotation_set_id: world.newSetId,
  });
  evaluationSet = made.evaluation_set_id as string;
  config = (await insertKmerConfig(db, 8)).id;
  const groups = { bare: drawn('B', many), known: drawn('C', many), rare: drawn('R', few) };
  for (const [group, list] of Object.entries(groups)) {
    await addProteins([...new Set(list.map(({ accession }) => accession))], 9606);
    // A protein without truth is not part of the evaluation set, so every protein gets the child of a term
    // that is not predicted.
    const truth = list.filter(({ isTrue }) => isTrue);
    const all = [...new Set(list.map(({ accession }) => accession))].map((accession) => ({
      accession,
      term: termId(5515),
    }));
    await addTruth(group === 'rare' ? 'PK' : 'NK', [...truth, ...all]);
  }
  predictions = await inTransaction(db, (trx) =>
    addPredictions(trx, {
      snapshotId: world.snapshotId,
      rows: Object.values(groups)
        .flat()
        .map(({ accession, term, score }) => [accession, term, score]),
    }),
  );
  await sql`
    update prediction_set set method = 'combined', annotation_set_id = ${world.oldSetId}, embedding_config_id = ${config},
      limit_per_entry = 50, parameters = '{"evidence": null}' where id = ${predictions}`.execute(db);
  await sql`
    insert into prediction_set_protein (prediction_set_number, protein_accession, sequence_id, term_count, prediction_count, known_accession)
    select s.number, a, 1, 3, 3, case when a like 'B%' then null else a end
    from prediction_set s, unnest(${Object.values(groups).flatMap((list) => list.map((row) => row.accession))}::text[]) a
    where s.id = ${predictions} group by s.number, a`.execute(db);
  result = await bench.run(calibrate, { evaluation_set_id: evaluationSet, prediction_set_id: predictions });
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const reference = () => ({
  annotationSetId: world.oldSetId,
  embeddingConfigIds: [config],
  donors: 50,
  evidence: ['experimental', 'phylogenetic', 'similarity', 'signature', 'vocabulary', 'rule', 'unclassified'],
});

it('fits a curve for each method, aspect and knowledge that has the proteins, and says why others have none', () => {
  expect(result).toMatchObject({
    kept: 2,
    calibrated_on: 'goa old to goa new',
    annotation_set_id: world.oldSetId,
  });
  const curves = result.curves as Record<string, unknown>[];
  expect(
    curves.map(({ method, aspect, known, kept, proteins }) => [method, aspect, known, kept, proteins]),
  ).toEqual(
    expect.arrayContaining([
      ['untrained', 'F', 'nothing', true, many],
      ['combined', 'F', 'nothing', true, many],
      ['combined', 'F', 'same aspect', false, few],
    ]),
  );
  expect(curves).toContainEqual(
    expect.objectContaining({ known: 'same aspect', why_not: 'fewer than 100 proteins' }),
  );
});

it('keeps curves with the reference that say how often a score is right, for the kingdom of its proteins', async () => {
  const curves = await storedCurves(db, reference());
  for (const method of ['untrained', 'combined'])
    for (const score of [0.3, 0.5, 0.7]) {
      const asked = { method, aspect: 'F', known: 'nothing', kingdom: 'Eukaryota' } as const;
      const found = probabilitiesOf(curves, asked)(score);
      expect(Math.abs((found?.probability as number) - score)).toBeLessThan(0.15);
      expect(found?.low).toBeLessThanOrEqual(found?.probability as number);
      expect(found?.high).toBeGreaterThanOrEqual(found?.probability as number);
      expect(found?.proteins).toBeGreaterThanOrEqual(100);
      expect(curves[found?.curve as number].windows).toEqual(['goa old to goa new']);
      expect(probabilitiesOf(curves, { ...asked, kingdom: 'Bacteria' })(score)).toBeNull();
      expect(probabilitiesOf(curves, { ...asked, known: 'same aspect' })(score)).toBeNull();
    }
});

it('has none for other donors, evidence or references, and replaces those of before', async () => {
  expect(await storedCurves(db, { ...reference(), donors: 20 })).toEqual([]);
  expect(await storedCurves(db, { ...reference(), evidence: ['experimental'] })).toEqual([]);
  expect(await storedCurves(db, { ...reference(), annotationSetId: world.newSetId })).toEqual([]);
  const before = await storedCurves(db, reference());
  const payload = { evaluation_set_id: evaluationSet, prediction_set_id: predictions };
  await bench.run(calibrate, payload);
  expect(await storedCurves(db, reference())).toEqual(before);
  await bench.run(calibrate, { ...payload, annotation_set_id: world.newSetId });
  const [curve] = await storedCurves(db, { ...reference(), annotationSetId: world.newSetId });
  expect(curve.reference).toBe(world.newSetId);
});

it('keeps curves of several embeddings together apart from those of each, in whatever order they are named', async () => {
  const other = (await insertKmerConfig(db, 16)).id;
  const alone = await storedCurves(db, reference());
  const together = (ids: string[]) => storedCurves(db, { ...reference(), embeddingConfigIds: ids });
  expect(await together([config, other])).toEqual([]);
  const parametersOf = (value: string) =>
    sql`update prediction_set set parameters = ${value} where id = ${predictions}`.execute(db);
  await parametersOf(JSON.stringify({ evidence: null, more_embedding_config_ids: [other] }));
  const payload = { evaluation_set_id: evaluationSet, prediction_set_id: predictions };
  const merged = await bench.run(calibrate, payload);
  await parametersOf('{"evidence": null}');
  expect(merged).toMatchObject({
    kept: 2,
    embedding_config_id: config,
    more_embedding_config_ids: [other],
  });
  // The same scores give the same curves.
  expect(await together([config, other])).toEqual(alone);
  expect(await together([other, config])).toEqual(alone);
  expect(await together([other])).toEqual([]);
  expect(await storedCurves(db, reference())).toEqual(alone);
});

it('refuses predictions that cannot say what a score means', async () => {
  const payload = { evaluation_set_id: evaluationSet, prediction_set_id: predictions };
  const refused = async (change: string, value: string) => {
    const { rows } = await sql<{ was: string }>`
      select ${sql.ref(change)} as was from prediction_set where id = ${predictions}`.execute(db);
    const set = (to: string) =>
      sql`update prediction_set set ${sql.ref(change)} = ${to} where id = ${predictions}`.execute(db);
    await set(value);
    const problem = await bench.run(calibrate, payload).catch((error: Error) => error.message);
    await set(rows[0].was);
    return problem;
  };
  expect(await refused('method', 'knn')).toMatch(/by the method knn; only predictions by combined/);
  expect(await refused('annotation_set_id', world.newSetId)).toMatch(/may know the outcome; predict with/);
  expect(await refused('parameters', '{"sources": ["UniProt"]}')).toMatch(/chose sources; probabilities are/);
  const several = JSON.stringify({ more_annotation_set_ids: [world.newSetId] });
  expect(await refused('parameters', several)).toMatch(/over 2 references.*predict with \S+ alone/);
});
