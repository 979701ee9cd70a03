import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationName } from '@kindred/contracts';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateCommand } from '../../cli/evaluate.js';
import { startTestApp, type TestApp } from '../../testing/test-app.js';
import { sharedUrl } from '../../testing/loading-context.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';

const data = sharedData('data');

/**
 * A real worker process predicts and evaluates; the command line then evaluates the files that the API
 * serves.
 */
describe.skipIf(!data)('E. coli by a worker, through the API, and by the command line', () => {
  let test: TestApp;
  let workers: WorkerProcesses;
  let setId: string;
  let predictionSetId: string;
  const base = () => `/v1/annotations/evaluation-sets/${setId}`;

  const run = async (name: OperationName, payload: Record<string, unknown>) =>
    (await workers.run(name, payload)).result;

  beforeAll(async () => {
    test = await startTestApp();
    workers = await WorkerProcesses.on(test, () => ({
      SVC_IMPORT_DIR: data as string,
      SVC_COMPUTE_THREADS: '2',
    }));
    workers.start();
    const url = (...parts: string[]) => sharedUrl(...parts) as string;
    const { ontology_snapshot_id } = await run('load_ontology_snapshot', {
      obo_url: url('ontology', 'go-2022-07-01.obo.gz'),
    });
    await run('insert_proteins', { fasta_url: url('ecoli-k12', 'UP000000625_83333.fasta.gz') });
    const load = async (date: string) => {
      const gaf_url = url('ecoli-k12', `18.E_coli_MG1655.${date}.gaf.gz`);
      return run('load_goa_annotations', { gaf_url, ontology_snapshot_id, source_version: date });
    };
    const { annotation_set_id } = await load('2020-03-03');
    const made = await run('generate_evaluation_set', {
      old_annotation_set_id: annotation_set_id,
      new_annotation_set_id: (await load('2022-11-12')).annotation_set_id,
    });
    setId = made.evaluation_set_id;
    const fasta = (await test.call({ url: `${base()}/delta-proteins.fasta` })).body as string;
    const accessions = fasta.match(/(?<=^>)\S+/gm) as string[];
    const { id: embedding_config_id } = await insertKmerConfig(test.db);
    await run('compute_embeddings', { embedding_config_id });
    const predicted = await run('predict_go_terms', {
      embedding_config_id,
      annotation_set_id,
      ontology_snapshot_id,
      query_accessions: accessions,
    });
    predictionSetId = predicted.prediction_set_id;
  });
  afterAll(async () => {
    await workers.stop();
    await test.close();
  });

  it('serves the expected truth', async () => {
    for (const [file, expected] of [
      ['ground-truth-NK.tsv', 'truth_NK.tsv'],
      ['ground-truth-LK.tsv', 'truth_LK.tsv'],
      ['ground-truth-PK.tsv', 'truth_PK.tsv'],
      ['known-terms.tsv', 'known_t0.tsv'],
    ]) {
      const served = (await test.call({ url: `${base()}/${file}` })).body as string;
      const lines = (await readFile(join(data!, 'ecoli-k12', 'expected', expected), 'utf8')).trimEnd();
      const pairs = lines
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t').slice(0, 2).join('\t'));
      expect(served.trimEnd().split('\n')).toEqual(pairs.sort());
    }
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['defaults', {}, ['--prop', 'fill', '--no-orphans']],
    [
      'max, gt, roots, finer',
      { prop: 'max', norm: 'gt', no_orphans: false, th_step: 0.005 },
      ['--prop', 'max', '--norm', 'gt', '--th-step', '0.005'],
    ],
  ])('%s: figures of the downloaded files are those of the API', async (_, options, flags) => {
    const result = await run('run_cafa_evaluation', {
      evaluation_set_id: setId,
      prediction_set_id: predictionSetId,
      ...options,
    });
    const rid = result.evaluation_result_id;
    const { results, options: used } = (await test.call({ url: `${base()}/results/${rid}` })).body;
    expect(used.ia.source).toBe('computed');
    const place = await mkdtemp(join(workers.folder, 'files-'));
    const save = async (url: string, name: string) => {
      await mkdir(join(place, 'predictions'), { recursive: true });
      await writeFile(join(place, name), (await test.call({ url })).body as string);
      return join(place, name);
    };
    await save(
      `/v1/embeddings/prediction-sets/${predictionSetId}/predictions-cafa.tsv`,
      'predictions/kindred.tsv',
    );
    const known = await save(`${base()}/known-terms.tsv`, 'known.tsv');
    const stored = await test.db.selectFrom('information_accretion').selectAll().executeTakeFirstOrThrow();
    await writeFile(
      join(place, 'IA.tsv'),
      stored.go_ids.map((id, i) => `${id}\t${stored.bits[i]}\n`).join(''),
    );
    for (const category of ['NK', 'LK', 'PK']) {
      const truth = await save(`${base()}/ground-truth-${category}.tsv`, `${category}.tsv`);
      const out = join(place, `out-${category}`);
      const words = [
        ...['--obo', join(data!, 'ontology', 'go-2022-07-01.obo.gz'), '--ground-truth', truth],
        ...['--predictions', join(place, 'predictions'), '--ia', join(place, 'IA.tsv'), '--out-dir', out],
        ...(category === 'PK' ? ['--known', known] : []),
        ...flags,
      ];
      await evaluateCommand().exitOverride().parseAsync(words, { from: 'user' });
      const summary = (await readFile(join(out, 'evaluation_summary.tsv'), 'utf8')).trimEnd().split('\n');
      const [head, ...rows] = summary.map((line) => line.split('\t'));
      const aspects = { biological_process: 'BPO', molecular_function: 'MFO', cellular_component: 'CCO' };
      expect(rows).toHaveLength(3);
      for (const [, namespace, ...cells] of rows) {
        const figures = results[category][aspects[namespace as keyof typeof aspects]];
        head.slice(2).forEach((figure, i) => {
          expect([category, namespace, figure, cells[i]]).toEqual([
            category,
            namespace,
            figure,
            String(figures[figure] ?? ''),
          ]);
        });
      }
    }
  });
});
