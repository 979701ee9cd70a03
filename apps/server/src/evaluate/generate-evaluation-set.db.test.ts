import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { findEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { type TruthRow, truthPages } from '../store/evaluation/evaluation-truth.repository.js';
import {
  addAnnotations,
  addSnapshot,
  type EvaluationWorld,
  fillEvaluationWorld,
  termId,
} from '../testing/evaluation-world.js';
import { inlineCompute } from '../testing/inline-compute.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { generateEvaluationSet } from './generate-evaluation-set.js';

let database: TestDatabase;
let db: Database;
let bench: LoadingBench;
let world: EvaluationWorld;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  bench = loadingBench(db, { services: { compute: inlineCompute() } });
  world = await fillEvaluationWorld(db);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const generate = (payload: Record<string, unknown> = {}) =>
  bench.run(generateEvaluationSet, {
    old_annotation_set_id: world.oldSetId,
    new_annotation_set_id: world.newSetId,
    ...payload,
  });
const truth = async (id: unknown, category: 'NK' | 'LK' | 'PK' | 'known') => {
  const { number } = (await findEvaluationSet(db, id as string))!;
  const rows: TruthRow[] = [];
  for await (const page of truthPages(db, number, category, 2)) rows.push(...page);
  return rows.map(({ accession, go_id }) => `${accession} ${Number(go_id.slice(3))}`);
};

describe('generate_evaluation_set', () => {
  it('stores the three categories and what was known', async () => {
    const result = await generate();
    const id = result.evaluation_set_id;
    expect(await truth(id, 'NK')).toEqual([
      ...['N1 2', 'N1 3', 'N1 11', 'N1 12', 'N2 11', 'N2 12'],
      ...['N3 2', 'N3 4', 'N3 5'],
    ]);
    expect(await truth(id, 'LK')).toEqual(['K1 13', 'L1 11', 'L1 12', 'L2 2', 'L2 3', 'L2 21']);
    expect(await truth(id, 'PK')).toEqual(['K1 3', 'K2 2', 'K2 5', 'K3 12']);
    expect(await truth(id, 'known')).toEqual(['K1 2', 'K2 4', 'K3 11', 'L1 2', 'L2 13']);
    expect(result).toMatchObject({
      skipped: false,
      delta_proteins: 8,
      nk_proteins: 3,
      lk_proteins: 3,
      pk_proteins: 3,
      nk_annotations: 9,
      lk_annotations: 6,
      pk_annotations: 4,
      known_terms_count: 5,
      protein_binding_only: { NK: 1, LK: 1, PK: 0 },
      by_aspect: {
        NK: {
          P: { proteins: 2, annotations: 4 },
          F: { proteins: 2, annotations: 5 },
          C: { proteins: 0, annotations: 0 },
        },
        LK: { C: { proteins: 1, annotations: 1 } },
      },
      read: { new: { negations: 2, denied: 1, terms_by_alt_id: 0 } },
    });
    expect((await findEvaluationSet(db, id as string))?.stats).toMatchObject({ nk_annotations: 9 });
  });

  it('refuses releases in the wrong order by the dates of their newest rows', async () => {
    const date = (id: string, day: string | null) =>
      db.updateTable('annotation_set').set({ newest_annotation_date: day }).where('id', '=', id).execute();
    await date(world.oldSetId, '2020-03-03');
    await date(world.newSetId, '2022-11-12');
    await expect(
      generate({ old_annotation_set_id: world.newSetId, new_annotation_set_id: world.oldSetId }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /old is of 2020-03-03, that of the old set .* new of 2022-11-12; give the older/,
      ),
    });
    await date(world.oldSetId, null);
    await date(world.newSetId, null);
  });

  it('makes one set per pair, also when two jobs come at once', async () => {
    const first = await generate();
    const second = loadingBench(db, { services: { compute: inlineCompute() } });
    const payload = {
      old_annotation_set_id: world.oldSetId,
      new_annotation_set_id: world.newSetId,
    };
    const both = await Promise.all([generate(), second.run(generateEvaluationSet, payload)]);
    expect(both.map((result) => [result.skipped, result.evaluation_set_id])).toEqual(
      Array(2).fill([true, first.evaluation_set_id]),
    );
    await expect(generate({ protein_binding_only: 'include' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('counts protein binding on request', async () => {
    const snapshotId = world.snapshotId;
    const [oldId, newId] = await inTransaction(db, async (trx) => [
      await addAnnotations(trx, { snapshotId, version: 'a', rows: [['K1', termId(2)]] }),
      await addAnnotations(trx, {
        snapshotId,
        version: 'b',
        rows: [
          ['K1', termId(2)],
          ['K1', termId(5515), 'IPI'],
          ['N1', termId(3)],
        ],
      }),
    ]);
    const pair = { old_annotation_set_id: oldId, new_annotation_set_id: newId };
    const included = await generate({ ...pair, protein_binding_only: 'include' });
    expect(await truth(included.evaluation_set_id, 'PK')).toEqual(['K1 5488', 'K1 5515']);
    // The reverse order finds losses, which are gains of nobody, and a warning says so.
    const reverse = { old_annotation_set_id: newId, new_annotation_set_id: oldId };
    await inTransaction(db, (trx) =>
      trx.deleteFrom('evaluation_set').where('old_annotation_set_id', '=', oldId).execute(),
    );
    const excluded = await generate(pair);
    expect(await truth(excluded.evaluation_set_id, 'PK')).toEqual([]);
    await expect(generate({ ...reverse })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is the older set given as the old one?'),
    });
  });

  it('reads two ontology snapshots by the graph of the new one', async () => {
    // The old snapshot still has term 33, which was merged into 3, and term 6, which was removed later.
    // There, 2 is below 4.
    const [oldId, newId] = await inTransaction(db, async (trx) => {
      const older = await addSnapshot(trx, 'releases/2020-01-01', [
        [termId(1), 'F', []],
        [termId(4), 'F', [termId(1)]],
        [termId(2), 'F', [termId(4)]],
        [termId(33), 'F', [termId(1)]],
        [termId(6), 'F', [termId(1)]],
      ]);
      return [
        await addAnnotations(trx, {
          snapshotId: older,
          version: 'older',
          rows: [
            ['K1', termId(33)],
            ['K2', termId(2)],
            ['K3', termId(6)],
          ],
        }),
        await addAnnotations(trx, {
          snapshotId: world.snapshotId,
          version: 'newer',
          rows: [
            ['K1', termId(3)],
            ['K2', termId(4)],
            ['K3', termId(3)],
          ],
        }),
      ];
    });
    const result = await generate({ old_annotation_set_id: oldId, new_annotation_set_id: newId });
    const id = result.evaluation_set_id;
    // K1 gained nothing. K2 gained 4, which the old graph would have implied. K3 had no known term that still
    // exists.
    expect(await truth(id, 'PK')).toEqual(['K2 4']);
    expect(await truth(id, 'NK')).toEqual(['K3 2', 'K3 3']);
    expect(result.read).toMatchObject({ old: { terms_by_alt_id: 1, unknown_terms: 1, annotations: 3 } });
    const { rules } = (await findEvaluationSet(db, id as string))!;
    expect(rules).toMatchObject({
      graph: 'releases/2025-01-01',
      old_terms: expect.stringContaining('alternative id'),
    });
  });

  it('refuses sets that are not there, and a pair of one', async () => {
    const absent = '55555555-5555-4555-8555-555555555555';
    await expect(generate({ old_annotation_set_id: absent })).rejects.toMatchObject({ code: 'not_found' });
    await expect(generate({ new_annotation_set_id: world.oldSetId })).rejects.toThrow('are the same');
  });
});
