import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerReply } from '@kindred/contracts/resources/answers';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Broker } from '../work/broker/broker.js';
import { createEmbeddedBroker } from '../work/broker/embedded.js';
import type { ComputePool } from '../ground/pool/pool.js';
import { loadSettings } from '../run/env.js';
import { createComputePool } from '../ground/pool/thread-pool.js';
import { createPluginRegistry } from '../ground/plugins/discover.js';
import { type DatasetWorld, openDatasetWorld } from '../testing/dataset-world.js';
import { silentLog, testServices, untilStatus } from '../testing/worker/harness.js';
import { type RunningWorker, startWorker } from '../work/worker/worker.js';
import { multipart, problemIn, startTestApp, type TestAccount, type TestApp } from '../testing/test-app.js';
import { operationCatalogue } from '../run/catalogue.js';

/**
 * The tests use runners as people do: they request them by HTTP, a worker runs them in a thread of the pool,
 * and every output shows them. The example runner is installed from outside, in addition to those of the
 * service.
 */
let folder: string;
let world: DatasetWorld;
let test: TestApp;
let researcher: TestAccount;
let pool: ComputePool;
let broker: Broker;
let worker: RunningWorker;
let modules: string;
const root = repositoryRoot();

/** The operator sets these inputs: the example runner has one setting, which only its two files know. */
const inputsWith = (pseudocount: string) =>
  loadSettings({}, { SVC_DATA_DIR: folder, SVC_PLUGIN_VOTE_SHARE_PSEUDOCOUNT: pseudocount }).plugins;

/**
 * Installs a runner in two files. `run` is the text of its function, and `more` holds further members of the
 * plugin.
 */
async function install(modules: string, name: string, run: string, more = ''): Promise<void> {
  const place = join(modules, `kindred-runner-${name}`);
  await mkdir(place);
  const kindred = { contract: 1, kind: 'runner', entry: './index.js' };
  const manifest = { name: `kindred-runner-${name}`, version: '2.0.0', type: 'module', kindred };
  await writeFile(join(place, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    join(place, 'index.js'),
    `import { ProblemError, z } from '@kindred/contracts';
     export const plugin = { kind: 'runner', name: '${name}', version: '2.0.0', description: 'For a test', citations: [],
       parameters: z.strictObject({}), ${more} load: async () => ({ run: ${run} }) };`,
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-runners-'));
  modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@kindred'), { recursive: true });
  await symlink(join(root, 'packages/contracts'), join(modules, '@kindred/contracts'));
  await cp(join(root, 'examples/plugin-vote-share'), join(modules, 'kindred-runner-vote-share'), {
    recursive: true,
  });
  await install(modules, 'broken', `async () => { throw new Error('the matrix is singular'); }`);
  await install(modules, 'endless', '() => { for (;;); }', 'limitSeconds: 0.1,');
  await install(modules, 'silent', '() => new Promise(() => {})', 'limitSeconds: 0.1,');
  await install(modules, 'combined', 'async () => {}');
  await install(
    modules,
    'proud',
    `async ({ aspect, termAspect }) => ({ query: Int32Array.of(0), term: Int32Array.of(termAspect.indexOf(aspect)), score: Float64Array.of(2),
       source: Int32Array.of(-1), distance: Float32Array.of(NaN) })`,
  );
  const pluginFolders = [modules, join(root, 'node_modules')];
  const inputs = inputsWith('1');
  const plugins = createPluginRegistry({ folders: pluginFolders, inputs });

  world = await openDatasetWorld();
  broker = createEmbeddedBroker(world.db);
  pool = createComputePool({ size: 1, pluginFolders, plugins: inputs, abandonMs: 20 });
  test = await startTestApp({}, null, { plugins, db: world.db, broker });
  researcher = await test.account('researcher', world.db);
  worker = await startWorker({
    catalogue: operationCatalogue,
    services: {
      ...testServices(world.db),
      plugins,
      compute: pool,
      artifacts: world.artifacts,
      settings: { ...testServices(world.db).settings, cacheDir: folder },
    },
    broker,
    queues: ['svc.predictions', 'svc.predictions.batch', 'svc.predictions.write'],
    concurrency: 1,
    log: silentLog,
  });
});
afterAll(async () => {
  await worker?.stop();
  await pool?.close();
  await test?.close();
  await broker?.close();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

const payload = (changes: Record<string, unknown>) => ({
  embedding_config_id: world.configId,
  annotation_set_id: world.newSetId,
  ontology_snapshot_id: world.snapshotId,
  query_accessions: ['L1', 'N1'],
  limit_per_entry: 3,
  ...changes,
});
const predict = (changes: Record<string, unknown>) =>
  test.call({
    method: 'POST',
    url: '/v1/embeddings/predict',
    headers: researcher.headers,
    payload: payload(changes),
  });

/** Gives the prediction set of a finished job. */
async function predicted(changes: Record<string, unknown>): Promise<string> {
  const { status, body } = await predict(changes);
  expect(status, JSON.stringify(body)).toBe(202);
  const { result } = await untilStatus(world.db, body.id, 'SUCCEEDED');
  return result.prediction_set_id;
}
async function failure(changes: Record<string, unknown>): Promise<string | null> {
  const { body } = await predict(changes);
  return (await untilStatus(world.db, body.id, 'FAILED')).error_message;
}
const setUrl = (id: string, path = '') => `/v1/embeddings/prediction-sets/${id}${path}`;
const read = async (url: string) => {
  const { status, body } = await test.call({ url, headers: researcher.headers });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const table = (text: string) => {
  const [header, ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [header[at], cell])));
};
/** Reads the predictions of a set without the fields that differ between two sets. */
const rowsOf = async (id: string) => read(setUrl(id, '/predictions.tsv'));

it('lists what runs, and why another does not', async () => {
  const runners: { name: string; state: string; reason: string | null }[] = await read('/v1/runners');
  const available = runners.filter(({ state }) => state === 'available').map(({ name }) => name);
  expect(available.sort()).toEqual([
    'baseline',
    'broken',
    'endless',
    'knn',
    'lightgbm',
    'proud',
    'silent',
    'vote-share',
  ]);
  expect(runners.filter(({ state }) => state === 'unavailable')).toMatchObject([
    { name: 'combined', reason: 'combined is the name of a method of the service; choose another' },
  ]);
});

describe('a runner from outside', () => {
  let id: string;
  beforeAll(async () => {
    id = await predicted({ runner: 'vote-share', runner_parameters: { minimum_share: 0.5 } });
  });

  it('is not loaded with a setting that it refuses, which the list says', async () => {
    const [runner] = await createPluginRegistry({ folders: [modules], inputs: inputsWith('-1') })
      .runners()
      .then((runners) => runners.filter(({ packageName }) => packageName === 'kindred-runner-vote-share'));
    expect(runner).toMatchObject({
      state: 'unavailable',
      reason: 'SVC_PLUGIN_VOTE_SHARE_PSEUDOCOUNT: "-1" must be 0 or more. Example: 1',
    });
  });

  it('is named with its version by the prediction set', async () => {
    expect(await read(setUrl(id))).toMatchObject({
      method: 'vote-share',
      runner: { name: 'vote-share', version: '1.0.0' },
      parameters: { runner_parameters: { minimum_share: 0.5 } },
      status: 'complete',
    });
  });

  it('answers with the scores that its setting gives, and without a probability', async () => {
    const answer = answerReply.parse(await read(setUrl(id, '/proteins/N1/answer')));
    expect(answer.terms.length).toBeGreaterThan(0);
    for (const term of answer.terms) {
      expect(term).toMatchObject({
        probability: null,
        certainty: null,
        calibrated_on: null,
        source_kind: 'protein',
      });
      // The scores are shares of three neighbours and the pseudocount of the setting; each aspect's search
      // finds as many.
      expect([0.5, 0.75]).toContain(term.score);
      expect(term.supporters).toBe(term.score * ((term.similar_proteins ?? 0) + 1));
    }
    const lines = table(await read(setUrl(id, '/export?format=tsv'))).filter(
      ({ protein }) => protein === 'N1',
    );
    const predictions = lines.filter(({ kind }) => kind === 'predicted');
    expect(predictions.map((line) => line.go_id)).toEqual(answer.terms.map((term) => term.go_id));
    expect(predictions[0]).toMatchObject({
      probability: '',
      certainty: '',
      score: String(Number(answer.terms[0].score.toPrecision(6))),
    });
  });

  it('is named with its version in files of annotations', async () => {
    const gaf: string = await read(setUrl(id, '/export?format=gaf'));
    expect(gaf).toContain(
      '!method: vote-share 1.0.0 (KINDRED_REF:0000008, Terms of the nearest neighbours, scored by a runner; not calibrated)\n',
    );
    expect(gaf).toMatch(/\nlocal\tN1\tgen0\t\S+\tGO:\d{7}\tKINDRED_REF:0000008\tIEA\tlocal:/);
    expect(await read(setUrl(id, '/export?format=gpad'))).toContain('|method=vote-share 1.0.0|score=');
  });
});

describe('the runners that come with the service', () => {
  it('knn is what method knn runs', async () => {
    const unnamed = await predicted({});
    expect(await read(setUrl(unnamed))).toMatchObject({ method: 'knn', runner: { name: defaultRunner } });
    const rows = await rowsOf(unnamed);
    expect(table(rows).length).toBeGreaterThan(2);
    expect(await rowsOf(await predicted({ method: 'knn', runner: 'knn' }))).toBe(rows);
  });

  it('baseline gives each query the same terms, without a source', async () => {
    const id = await predicted({ runner: 'baseline', compute_alignments: true, compute_taxonomy: false });
    const [l1, n1] = await Promise.all(
      ['L1', 'N1'].map(
        async (accession) => answerReply.parse(await read(setUrl(id, `/proteins/${accession}/answer`))).terms,
      ),
    );
    // The known terms of one query stand last in its answer.
    const scores = (terms: typeof l1) => terms.map(({ go_id, score }) => `${go_id} ${score}`).sort();
    expect(scores(l1)).toEqual(scores(n1));
    expect(l1.length).toBeGreaterThan(3);
    for (const term of l1)
      expect(term).toMatchObject({ source_kind: 'none', source_id: null, distance: null, identity: null });
    expect(await failure({ runner: 'baseline', compute_reranker_features: true })).toContain(
      'The runner baseline gives terms that no neighbour gave',
    );
  });

  it('lightgbm scores by the model that it is given, which lists of sets show by its digest', async () => {
    const model = [
      ...['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'max_feature_idx=0'],
      ...[
        'objective=binary sigmoid:1',
        'feature_names=vote_count',
        'feature_infos=[0:5]',
        'tree_sizes=1',
        '',
      ],
      ...['Tree=0', 'num_leaves=2', 'num_cat=0', 'split_feature=0', 'threshold=1.5', 'decision_type=2'],
      ...['left_child=-1', 'right_child=-2', 'leaf_value=-1 1', '', 'end of trees', ''],
    ].join('\n');
    const id = await predicted({ runner: 'lightgbm', runner_parameters: { model } });
    const scores = table(await read(setUrl(id, '/export?format=tsv'))).flatMap(({ kind, score }) =>
      kind === 'predicted' ? [Number(score)] : [],
    );
    expect(new Set(scores)).toEqual(new Set([0.731059, 0.268941]));
    const { parameters } = await read(setUrl(id));
    expect(parameters.runner_parameters).toEqual({
      model: { sha256: createHash('sha256').update(model).digest('hex'), characters: model.length },
    });
  });
});

describe('a runner that is not fit', () => {
  it.each([
    // One runner blocks its thread, and the next only never answers. The thread of both is replaced for the
    // runner after them.
    [
      'endless',
      /The runner endless 2\.0\.0 did not return within 0\.1 s for 2 queries, and was ended\. Use another/,
    ],
    [
      'silent',
      /The runner silent 2\.0\.0 did not return within 0\.1 s for 2 queries, and was ended\. Use another/,
    ],
    ['broken', /The runner broken 2\.0\.0 failed: the matrix is singular\.$/],
    [
      'proud',
      /The output of the runner proud 2\.0\.0 can't be stored: row 0 \(query 0, term \d+\) has the score 2, which/,
    ],
  ])('%s ends the job with a sentence that names it, without trying again', async (runner, sentence) => {
    const message = await failure({ runner });
    expect(message).toMatch(sentence);
    expect(message).not.toContain('attempts');
  });

  it.each<[Record<string, unknown>, string, string]>([
    [
      { runner: 'nope' },
      '/runner',
      'No runner nope is installed. Installed: baseline, knn, lightgbm, broken, endless, proud, silent, vote-share.',
    ],
    [{ runner: 'combined' }, '/runner', 'cannot be used: combined is the name of a method'],
    [{ runner: 'knn', method: 'combined' }, '/runner', 'leave runner out, or give method knn with it'],
    [
      { runner: 'vote-share', runner_parameters: { minimum_share: 2 } },
      '/runner_parameters/minimum_share',
      '1',
    ],
    [{ runner: 'vote-share', runner_parameters: { share: 2 } }, '/runner_parameters/share', 'unknown key'],
    [{ runner_parameters: { share: 2 } }, '/runner_parameters/share', 'unknown key'],
    [{ runner: 'lightgbm' }, '/runner_parameters/model', ''],
    [{ runner: 'A B' }, '/runner', 'a-z, 0-9'],
  ])('is refused before anything is queued: %j', async (changes, path, message) => {
    const answers = [
      await predict(changes),
      await test.call({
        method: 'POST',
        url: '/v1/jobs',
        headers: researcher.headers,
        payload: { operation: 'predict_go_terms', queue_name: 'svc.predictions', payload: payload(changes) },
      }),
    ];
    for (const [at, answer] of answers.entries()) {
      const problem = problemIn(answer);
      expect(problem.status).toBe(422);
      const expected = {
        path: at === 0 ? path : `/payload${path}`,
        message: expect.stringContaining(message),
      };
      expect(problem.errors).toContainEqual(expect.objectContaining(expected));
    }
  });
});

describe('POST /annotate', () => {
  const annotate = (query: string, more: object = {}) =>
    test.call({
      method: 'POST',
      url: `/v1/annotate?annotation_set_id=${world.newSetId}&embedding_config_id=${world.configId}${query}`,
      headers: researcher.headers,
      payload: { fasta_text: '>A\nMKVLAAGIVGLCAKAYE\n', ...more },
    });

  it('takes a runner with its parameters, and means method knn then', async () => {
    const { status, body } = await annotate('&runner=vote-share', {
      runner_parameters: { minimum_share: 0.5 },
    });
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body.predict_payload).toMatchObject({
      method: 'knn',
      runner: 'vote-share',
      runner_parameters: { minimum_share: 0.5 },
    });
  });

  it('takes the parameters as a field of a form, however long a model is', async () => {
    const inForm = (parameters: string) => {
      const { payload, headers } = multipart({
        file: { filename: 'q.fasta', content: '>A\nMKVLAAGIVGLCAKAYE\n' },
        runner_parameters: parameters,
      });
      return test.call({
        method: 'POST',
        url: `/v1/annotate?annotation_set_id=${world.newSetId}&embedding_config_id=${world.configId}&runner=vote-share`,
        headers: { ...researcher.headers, ...headers },
        payload,
      });
    };
    const padded = `{"minimum_share":0.5${' '.repeat(200_000)}}`;
    expect((await inForm(padded)).body.predict_payload).toMatchObject({
      runner_parameters: { minimum_share: 0.5 },
    });
    for (const [text, path] of [
      [`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, '/runner_parameters'],
      ['{"a":"\\u0000"}', '/runner_parameters/a'],
      ['{"minimum_share":0.5,"minimum_share":0.6}', '/runner_parameters'],
      ['not JSON', '/runner_parameters'],
      ['', '/runner_parameters'],
      ['7', '/runner_parameters'],
    ] as const) {
      const problem = problemIn(await inForm(text));
      expect(problem, text.slice(0, 40)).toMatchObject({ status: 422, errors: [{ path }] });
    }
  });

  it('refuses another method with it, a runner that is not installed, and other parameters', async () => {
    const refused = [
      [await annotate('&runner=vote-share&method=combined'), '/runner'],
      [await annotate('&runner=nope'), '/runner'],
      [await annotate('&runner=vote-share', { runner_parameters: { x: 1 } }), '/runner_parameters/x'],
    ] as const;
    for (const [answer, path] of refused) {
      const problem = problemIn(answer);
      expect(problem.status).toBe(422);
      expect(problem.errors?.map((fault) => fault.path)).toEqual([path]);
    }
  });
});
