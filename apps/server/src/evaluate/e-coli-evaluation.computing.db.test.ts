import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cafaScore } from '@kindred/kernels/scoring';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { evaluateCommand } from '../cli/evaluate.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { findEvaluationResult } from '../store/evaluation/evaluation-results.repository.js';
import { findEvaluationSet } from '../store/evaluation/evaluation-sets.repository.js';
import { truthPages } from '../store/evaluation/evaluation-truth.repository.js';
import { addPredictions } from '../testing/evaluation-world.js';
import { inlineCompute } from '../testing/inline-compute.js';
import { type LoadingBench, loadingBench, sharedUrl } from '../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { generateEvaluationSet } from './generate-evaluation-set.js';
import { insertProteins } from '../load/insert-proteins.js';
import { loadGoaAnnotations } from '../load/load-goa-annotations.js';
import { loadOntologySnapshot } from '../load/load-ontology-snapshot.js';
import { runCafaEvaluation } from './run-cafa-evaluation.js';

const folder = sharedData('data', 'ecoli-k12');
const obo = sharedData('data', 'ontology', 'go-2022-07-01.obo.gz');
const linesOf = (path: string): string[] => {
  const bytes = readFileSync(path);
  return String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .split('\n')
    .filter((line) => line !== '');
};

/**
 * The operations process real annotations of two dates and predictions of two methods, from beginning to end.
 */
describe.skipIf(!folder || !obo)('the temporal holdout of E. coli through the service', () => {
  let database: TestDatabase;
  let db: Database;
  let bench: LoadingBench;
  let store: string;
  let artifacts: ArtifactStore;
  let snapshotId: string;
  let setId: string;
  beforeAll(async () => {
    database = await testDatabase();
    db = openDatabase(database.url, 5);
    store = await mkdtemp(join(tmpdir(), 'kindred-e-coli-'));
    artifacts = createLocalArtifacts(store);
    bench = loadingBench(db, { services: { compute: inlineCompute(), artifacts } });
    const url = (...parts: string[]) => sharedUrl(...parts) as string;
    const ontology = await bench.run(loadOntologySnapshot, {
      obo_url: url('ontology', 'go-2022-07-01.obo.gz'),
    });
    snapshotId = ontology.ontology_snapshot_id as string;
    await bench.run(insertProteins, { fasta_url: url('ecoli-k12', 'UP000000625_83333.fasta.gz') });
    const load = async (date: string) =>
      (
        await bench.run(loadGoaAnnotations, {
          ontology_snapshot_id: snapshotId,
          gaf_url: url('ecoli-k12', `18.E_coli_MG1655.${date}.gaf.gz`),
          source_version: date,
        })
      ).annotation_set_id;
    const made = await bench.run(generateEvaluationSet, {
      old_annotation_set_id: await load('2020-03-03'),
      new_annotation_set_id: await load('2022-11-12'),
    });
    setId = made.evaluation_set_id as string;
  });
  afterAll(async () => {
    await closeDatabase(db);
    await database.close();
    await rm(store, { recursive: true });
  });

  it.each([
    ['NK', 'truth_NK.tsv'],
    ['LK', 'truth_LK.tsv'],
    ['PK', 'truth_PK.tsv'],
    ['known', 'known_t0.tsv'],
  ] as const)('%s: pair by pair as expected', async (category, file) => {
    const { number } = (await findEvaluationSet(db, setId))!;
    const found: string[] = [];
    for await (const page of truthPages(db, number, category))
      found.push(...page.map(({ accession, go_id }) => `${accession} ${go_id}`));
    const expected = linesOf(join(folder!, 'expected', file)).slice(1);
    expect(found).toEqual(expected.map((line) => line.split('\t').slice(0, 2).join(' ')).sort());
  });

  it('counts proteins per category and aspect as the published summary does', async () => {
    const { stats } = (await findEvaluationSet(db, setId))!;
    const proteins = (['NK', 'LK', 'PK'] as const).map((category) => {
      const { P, F, C } = stats.by_aspect[category];
      return [P.proteins, F.proteins, C.proteins];
    });
    expect(proteins).toEqual([
      [39, 28, 23],
      [113, 40, 125],
      [280, 205, 237],
    ]);
    expect([stats.delta_proteins, stats.nk_proteins, stats.lk_proteins, stats.pk_proteins]).toEqual([
      781, 63, 255, 568,
    ]);
  });

  const golden = (...parts: string[]) => join(folder!, 'golden', ...parts);
  const submitted = (method: string): [string, string, number][] =>
    linesOf(golden('predictions', `${method}.tsv.gz`)).map((line) => {
      const [protein, term, score] = line.split('\t');
      return [protein, term, cafaScore(Number(score))];
    });
  const evaluate = async (method: string) => {
    const predictionSet = await inTransaction(db, (trx) =>
      addPredictions(trx, { snapshotId, rows: submitted(method) }),
    );
    const made = await bench.run(runCafaEvaluation, {
      evaluation_set_id: setId,
      prediction_set_id: predictionSet,
      prop: 'max',
      ia_file: sharedUrl('ecoli-k12', 'golden', 'IA.tsv.gz'),
      resamples: 20,
    });
    return (await findEvaluationResult(db, made.evaluation_result_id as string))!;
  };
  const files = async (row: Awaited<ReturnType<typeof evaluate>>) => {
    const place = mkdtempSync(join(store, 'files-'));
    for (const { name, uri } of row.artifacts) {
      await mkdir(dirname(join(place, name)), { recursive: true });
      const chunks: Uint8Array[] = [];
      for await (const chunk of artifacts.get(uri)) chunks.push(chunk);
      await writeFile(join(place, name), Buffer.concat(chunks));
    }
    return place;
  };

  it.each(['blast', 'unirep64_knn5'])('%s: files and command line give the same tables', async (method) => {
    const row = await evaluate(method);
    const place = await files(row);
    for (const category of ['NK', 'LK', 'PK'] as const) {
      const out = join(place, 'again');
      const flags = {
        '--obo': obo!,
        '--predictions': join(place, 'predictions'),
        '--ground-truth': join(place, `gt_${category}.tsv`),
        '--ia': join(place, 'IA.tsv'),
        '--out-dir': out,
        ...(category === 'PK' ? { '--known': join(place, 'known_terms.tsv') } : {}),
      };
      const words = [...Object.entries(flags).flat(), '--no-orphans', '--full'];
      await evaluateCommand().exitOverride().parseAsync(words, { from: 'user' });
      for (const table of ['evaluation_all.full.tsv', 'evaluation_all.tsv', 'evaluation_best_f_w.tsv'])
        expect(linesOf(join(place, category, table)).sort()).toEqual(linesOf(join(out, table)).sort());
    }
  });

  it.each(['blast', 'unirep64_knn5'])('%s: figures of the published program', async (method) => {
    const { results } = await evaluate(method);
    const aspectOf: Record<string, 'BPO' | 'MFO' | 'CCO'> = {
      biological_process: 'BPO',
      molecular_function: 'MFO',
      cellular_component: 'CCO',
    };
    const figures = { f: 'fmax', f_w: 'fmax_w', f_micro: 'f_micro', f_micro_w: 'f_micro_w' };
    let compared = 0;
    for (const category of ['NK', 'LK', 'PK'] as const) {
      for (const [metric, figure] of Object.entries(figures)) {
        const table = linesOf(golden(`results_${category}`, `evaluation_best_${metric}.tsv`));
        const [head, ...rows] = table.map((line) => line.split('\t'));
        for (const cells of rows.filter(([name]) => name === `${method}.tsv`)) {
          // The page prints figures with three decimals.
          const printed = Number(cells[head.indexOf(metric)]);
          const found = results[category]?.[aspectOf[cells[1]]]?.[figure] as number;
          expect(Math.abs(found - printed)).toBeLessThanOrEqual(0.0005 + 1e-12);
          compared++;
        }
      }
    }
    expect(compared).toBe(36);
  });
});
