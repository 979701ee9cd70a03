import { randomUUID } from 'node:crypto';
import { featureNames, featureSchemaSha, schemaSha } from '@kindred/kernels/features';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boosterText } from '../../../testing/rerankers/booster-text.js';
import { insertTruth } from '../../../testing/evaluation-truth.js';
import {
  multipart,
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
} from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let operator: TestAccount;
const proteins = 450;
const nameOf = (protein: number) => `Q${String(protein).padStart(4, '0')}`;
const distanceOf = (protein: number, term: number) => ((protein * 7 + term * 13) % 60) / 100;
const codeOf = (protein: number, term: number) => ['EXP', 'IDA', 'IEA', 'ISS', null][(protein + term) % 5];

beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
  await fillFeatures();
});
afterAll(() => test?.close());

/** Stores two terms for each of 450 proteins, more than a page of the repository. */
async function fillFeatures(): Promise<void> {
  const { number } = await test.db
    .updateTable('prediction_set')
    .set({ parameters: JSON.stringify({ compute_reranker_features: true }) })
    .where('id', '=', data.predictionSetId)
    .returning('number')
    .executeTakeFirstOrThrow();
  const terms = await test.db
    .selectFrom('go_term')
    .select(['id', 'go_id', 'aspect'])
    .orderBy('go_id')
    .execute();
  const chosen = terms.filter(({ go_id }) => ['GO:0005515', 'GO:0008150'].includes(go_id));
  await test.db.deleteFrom('prediction_set_protein').where('prediction_set_number', '=', number).execute();
  const sequence = await test.db.selectFrom('sequence').select('id').limit(1).executeTakeFirstOrThrow();
  const all = Array.from({ length: proteins }, (_, protein) => protein);
  await test.db
    .insertInto('prediction_set_protein')
    .values(
      all.map((protein) => ({
        prediction_set_number: number,
        protein_accession: nameOf(protein),
        sequence_id: sequence.id,
        term_count: 2,
        prediction_count: 2,
        min_distance: 0,
      })),
    )
    .execute();
  const pairs = all.flatMap((protein) =>
    chosen.map((term, t) => ({
      key: { prediction_set_number: number, protein_accession: nameOf(protein), go_term_id: term.id },
      distance: distanceOf(protein, t),
      evidence_code: codeOf(protein, t),
    })),
  );
  await test.db
    .insertInto('go_prediction')
    .values(
      pairs.map(({ key, ...values }) => ({
        ...key,
        ...values,
        source_kind: 'protein' as const,
        source_id: 'P00001',
        score: 0.5,
        term_rank: 1,
        is_nearest: true,
      })),
    )
    .execute();
  await test.db
    .insertInto('go_prediction_pair_features')
    .values(pairs.map(({ key }) => key))
    .execute();
}

const run = (runId: string, more: object = {}) => ({
  run_id: runId,
  dataset: { schema_sha: featureSchemaSha, embedding_config_id: data.configId, producer_version: '1.0' },
  metrics: { auc: 0.9 },
  ...more,
});
const spec = 'training:\n  cell: pk-bpo\n';
type Parts = Parameters<typeof multipart>[0];

async function upload(parts: Parts) {
  const form = multipart(parts);
  return test.call({
    method: 'POST',
    url: '/v1/reranker-models/import',
    payload: form.payload,
    headers: { ...operator.headers, ...form.headers },
  });
}
const file = (content: string) => ({ filename: 'f', content });
const files = (runId: string, model = boosterText(), more: object = {}): Parts => ({
  'model.txt': file(model),
  'spec.yaml': file(spec),
  'run.json': file(JSON.stringify(run(runId, more))),
});
const reference = (payload: object) =>
  test.call({
    method: 'POST',
    url: '/v1/reranker-models/import-by-reference',
    payload,
    headers: operator.headers,
  });
const rerank = (id: string, query = '') =>
  test.call({
    url: `/v1/scoring/prediction-sets/${data.predictionSetId}/rerank.tsv?reranker_id=${id}${query}`,
  });

const addressOf = (key: string) => test.artifacts.addressOf(test.artifacts.uriOf(key));

describe('importing', () => {
  it('gives the same row by upload and by reference', async () => {
    const uploaded = await upload(files('run-1'));
    expect(uploaded.status).toBe(201);
    expect(uploaded.body).toMatchObject({
      name: 'run-1',
      artifact_uri: addressOf('rerankers/run-1/model.txt'),
      storage_backend: 'local',
      objective: 'binary',
      tree_count: 2,
      feature_schema_sha: featureSchemaSha,
      schema_sha_v2: null,
      applicable: true,
      category: 'PK',
      aspect: 'P',
      embedding_config_id: data.configId,
      ontology_snapshot_id: null,
      producer_version: '1.0',
      metrics: { auc: 0.9 },
      feature_importance: { distance: 1, evidence_code: 1, identity_nw: 0 },
    });
    const referred = await reference({
      artifact_uri: uploaded.body.artifact_uri,
      run_json: run('run-1'),
      spec_yaml: spec,
      name: 'again',
    });
    expect(referred.status).toBe(201);
    const { id, name, created_at, ...row } = referred.body;
    expect({ ...uploaded.body, ...row }).toEqual(uploaded.body);
    expect([name, id === uploaded.body.id]).toEqual(['again', false]);
    const list = await test.call({ url: '/v1/scoring/rerankers' });
    expect(list.body.map((entry: { name: string }) => entry.name)).toEqual(['again', 'run-1']);
    expect(
      (await test.call({ url: String(uploaded.headers.location), headers: operator.headers })).body,
    ).toEqual(uploaded.body);
  });

  it('takes the other names of the parts, text fields, and ids of rows that are not here', async () => {
    const made = await upload({
      model_file: file(boosterText()),
      spec_yaml: spec,
      run_json: JSON.stringify(
        run('run-2', {
          dataset: { embedding_config_id: randomUUID(), ontology_snapshot_id: data.snapshotId },
        }),
      ),
      name: 'two',
      dataset_id: randomUUID(),
      external_source: 'lab',
    });
    expect(made.body).toMatchObject({
      name: 'two',
      embedding_config_id: null,
      ontology_snapshot_id: data.snapshotId,
      dataset_id: null,
      external_source: 'lab',
      feature_schema_sha: schemaSha(featureNames),
    });
  });

  it('keeps one row for a name, and one booster for a run', async () => {
    await upload(files('run-3'));
    expect(problemIn(await upload(files('run-3'))).code).toBe('already_exists');
    const other = files('run-3', boosterText({ near: 2 }));
    expect(problemIn(await upload({ ...other, name: 'three' })).code).toBe('already_exists');
    const forced = await upload({ ...other, force: 'true' });
    expect(forced.status).toBe(201);
    const list = await test.call({ url: '/v1/scoring/rerankers' });
    expect(list.body.filter((entry: { run_id: string }) => entry.run_id === 'run-3')).toHaveLength(1);
  });

  it('writes the second fingerprint where the switch is on', async () => {
    const app = await test.sibling({ schemaShaV2WriteEnabled: true });
    const form = multipart({ ...files('run-v2'), name: 'v2' });
    const made = await app.inject({
      method: 'POST',
      url: '/v1/reranker-models/import',
      payload: form.payload,
      headers: { ...operator.headers, ...form.headers },
    });
    expect(made.json().schema_sha_v2).toBe(schemaSha(featureNames));
  });

  it.each<[string, () => Parts, string, RegExp]>([
    [
      'a broken model',
      () => files('b', boosterText().replace('v4', 'v9')),
      'bad_file',
      /model\.txt: line 2: /,
    ],
    ['a cut model', () => files('b', boosterText().split('Tree=1')[0]), 'bad_file', /line 21: .*tree_sizes/],
    ['no model', () => ({ ...files('b'), 'model.txt': file('') }), 'bad_file', /line 1/],
    [
      'a model that is not text',
      () => ({ ...files('b'), 'model.txt': { filename: 'f', content: Buffer.of(255, 254) } }),
      'bad_file',
      /UTF-8/,
    ],
    [
      'codes without values',
      () => files('b', boosterText().replace(/pandas_categorical.*/, '')),
      'bad_file',
      /features\.categories/,
    ],
    [
      'broken YAML',
      () => ({ ...files('b'), 'spec.yaml': file('a: 1\nb: [') }),
      'bad_file',
      /spec\.yaml: line [23]/,
    ],
    [
      'an unknown cell',
      () => ({ ...files('b'), 'spec.yaml': file('training: {cell: xx}') }),
      'bad_file',
      /pk-bpo/,
    ],
    [
      'broken JSON',
      () => ({ ...files('b'), 'run.json': file('{') }),
      'validation_failed',
      /run\.json|not JSON|schema/,
    ],
    [
      'a description that is not UTF-8',
      () => ({
        ...files('b'),
        'spec.yaml': { filename: 'f', content: Buffer.from('a: 1\nb: \xe9', 'latin1') },
      }),
      'validation_failed',
      /spec\.yaml.*line 2|line 2.*UTF-8/,
    ],
    ['a run id that leaves the folder', () => files('../../etc'), 'validation_failed', /./],
    [
      'a missing part',
      () => ({ 'model.txt': file(boosterText()), 'run.json': file('{}') }),
      'validation_failed',
      /./,
    ],
    ['an unknown part', () => ({ ...files('b'), extra: 'x' }), 'validation_failed', /./],
    ['a part twice', () => ({ ...files('b'), model_file: file(boosterText()) }), 'validation_failed', /./],
  ])('refuses %s with 422', async (_name, parts, code, detail) => {
    const answer = await upload(parts());
    expect(problemIn(answer)).toMatchObject({ status: 422, code });
    expect(answer.body.detail).toMatch(detail);
  });

  it('refuses more than it takes, and boosters that are elsewhere or absent', async () => {
    const large = await upload({ ...files('large'), 'model.txt': file('x'.repeat((1 << 20) + 1)) });
    expect(problemIn(large).status).toBe(413);
    const body = { run_json: run('r'), spec_yaml: spec };
    const absent = addressOf('rerankers/none/model.txt');
    expect(problemIn(await reference({ ...body, artifact_uri: absent })).errors).toMatchObject([
      { path: '/artifact_uri', code: 'artifact_not_found' },
    ]);
    expect(problemIn(await reference({ ...body, artifact_uri: 'file:///etc/passwd' })).status).toBe(422);
    const elsewhere = 'file:///elsewhere/rerankers/run-1/model.txt';
    expect(problemIn(await reference({ ...body, artifact_uri: elsewhere }))).toMatchObject({
      status: 422,
      code: 'artifact_uri_refused',
    });
    expect(problemIn(await reference({ ...body, artifact_uri: 'http://x/y' })).status).toBe(422);
    expect(problemIn(await reference({ ...body, artifact_uri: absent, more: 1 })).status).toBe(422);
  });
});

describe('rerank.tsv', () => {
  /** Computes the scores of the two trees by hand. */
  function expected(protein: number, term: number): string {
    const near = Math.fround(distanceOf(protein, term)) <= 0.3 ? 1 : -1;
    const strong = ['EXP', 'IDA'].includes(String(codeOf(protein, term))) ? 0.5 : -0.5;
    return (1 / (1 + Math.exp(-near - strong))).toFixed(6);
  }

  it('has every pair once with its probability, by protein and falling score', async () => {
    const { body: model } = await upload({ ...files('tsv'), name: 'tsv' });
    const { status, headers, body } = await rerank(model.id);
    expect(status).toBe(200);
    expect(headers['content-disposition']).toContain('reranked_');
    const [head, ...lines] = body.slice(0, -1).split('\n');
    expect(head.split('\t')).toEqual([
      ...['protein_accession', 'go_id', 'aspect', 'reranker_score', 'distance'],
      ...['ref_protein_accession', 'evidence_code', 'qualifier', 'go_name', 'score'],
    ]);
    expect(lines).toHaveLength(2 * proteins);
    const rows = lines.map((line: string) => line.split('\t'));
    for (let protein = 0; protein < proteins; protein++) {
      const [first, second] = rows.slice(protein * 2, protein * 2 + 2);
      expect([first[0], second[0]]).toEqual([nameOf(protein), nameOf(protein)]);
      expect(Number(first[3])).toBeGreaterThanOrEqual(Number(second[3]));
      for (const row of [first, second]) {
        const term = row[1] === 'GO:0005515' ? 0 : 1;
        expect([row[2], row[3]]).toEqual([term === 0 ? 'F' : 'P', expected(protein, term)]);
        expect(row.slice(8)).toEqual([term === 0 ? 'protein binding' : 'biological_process', row[3]]);
      }
    }
    const one = await rerank(model.id, `&accession=${nameOf(7)}`);
    expect(one.body).toBe([head, ...lines.slice(14, 16), ''].join('\n'));
    const functions = lines.slice(14, 16).filter((line: string) => line.split('\t')[2] === 'F');
    for (const aspect of ['F', 'mfo']) {
      const answer = await rerank(model.id, `&accession=${nameOf(7)}&aspect=${aspect}`);
      expect(answer.body).toBe([head, ...functions, ''].join('\n'));
    }
    const high = await rerank(model.id, '&min_score=0.8');
    expect(high.body.slice(0, -1).split('\n').slice(1)).toEqual(
      lines.filter((line: string) => Number(line.split('\t')[3]) >= 0.8),
    );
    const firstTree = await rerank(model.id, '&num_iteration=1');
    expect(
      new Set(
        firstTree.body
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line: string) => line.split('\t')[3]),
      ),
    ).toEqual(new Set(['0.731059', '0.268941']));
  });

  it('keeps scores in [0, 1] for a ranking objective', async () => {
    const { body: model } = await upload({
      ...files('rank', boosterText({ objective: 'lambdarank' })),
      name: 'rank',
    });
    const { body: same } = await upload({ ...files('same'), name: 'same' });
    expect((await rerank(model.id)).body).toBe((await rerank(same.id)).body);
  });

  it('refuses a booster of other features, naming both fingerprints', async () => {
    const features = ['distance', 'evidence_code', 'pagerank'];
    const text = boosterText({ features });
    const { body: model } = await upload(files('other', text, { dataset: null }));
    expect(model.applicable).toBe(false);
    const answer = await rerank(model.id);
    expect(problemIn(answer)).toMatchObject({ status: 409, code: 'schema_mismatch' });
    for (const part of [schemaSha(features), featureSchemaSha, 'pagerank'])
      expect(answer.body.detail).toContain(part);
    const wrong = await upload(
      files('wrong', boosterText(), { features: { feature_schema_sha: '0123456789abcdef' } }),
    );
    expect(problemIn(await rerank(wrong.body.id)).code).toBe('schema_mismatch');
  });

  it('takes a model of some of the columns', async () => {
    const text = boosterText({ features: ['evidence_code', 'distance'] });
    const { body: model } = await upload(files('some', text, { dataset: null }));
    const { body: whole } = await upload({ ...files('whole'), name: 'whole' });
    expect((await rerank(model.id)).body).toBe((await rerank(whole.id)).body);
  });

  it('names the flag that fills the missing features', async () => {
    const text = boosterText().replace(
      'split_feature=0\n',
      `split_feature=${featureNames.indexOf('identity_nw')}\n`,
    );
    const { body: model } = await upload(files('flags', text));
    const answer = await rerank(model.id);
    expect(problemIn(answer)).toMatchObject({ status: 409, code: 'conflict' });
    expect(answer.body.detail).toContain('compute_alignments: true');
  });

  it('refuses a booster that was changed behind its back, and rows that are absent', async () => {
    const { body: model } = await upload({ ...files('changed'), name: 'changed' });
    await test.artifacts.put('rerankers/changed/model.txt', Buffer.from(boosterText({ near: 3 })));
    expect(problemIn(await rerank(model.id)).code).toBe('conflict');
    expect(problemIn(await rerank(randomUUID())).errors).toMatchObject([
      { path: '/reranker_id', code: 'not_found' },
    ]);
    expect(problemIn(await rerank('x')).status).toBe(422);
  });
});

describe('reranker-metrics', () => {
  /** Protein binding is true of two proteins, and only binding of the third, whose pair scores lowest. */
  const insertBindingTruth = () =>
    insertTruth(
      test.db,
      data,
      [7, 0, 4].flatMap((protein) =>
        (protein === 4 ? ['GO:0005488'] : ['GO:0005488', 'GO:0005515']).map((goId) => ({
          category: 'NK' as const,
          accession: nameOf(protein),
          goId,
        })),
      ),
    );

  it('are those of the scores that rerank.tsv shows', async () => {
    const { body: model } = await upload({ ...files('metrics'), name: 'metrics' });
    const setId = await insertBindingTruth();
    const url = `/v1/scoring/prediction-sets/${data.predictionSetId}/reranker-metrics?reranker_id=${model.id}&evaluation_set_id=${setId}`;
    const { status, body } = await test.call({ url });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      reranker_name: 'metrics',
      category: 'NK',
      n_ground_truth_proteins: 3,
      n_predicted_proteins: 3,
      n_predictions: 6,
    });
    const { MFO } = body.aspects;
    // If all three terms are predicted, precision is (1 + 1 + 1/2) / 3 and recall is 1.
    expect(MFO.fmax).toBeCloseTo((2 * (5 / 6)) / (5 / 6 + 1), 12);
    expect(MFO).toMatchObject({ recall: 1, coverage: 1, n_proteins: 3 });
    const shown = await rerank(model.id);
    const scores = [7, 0, 4].map((protein) =>
      Number(new RegExp(`^${nameOf(protein)}\tGO:0005515\tF\t([^\t]+)`, 'm').exec(shown.body)![1]),
    );
    expect(MFO.threshold_at_fmax).toBeLessThanOrEqual(Math.min(...scores));
    for (const { threshold, recall } of MFO.curve) {
      const predicted = scores.filter((score) => score >= threshold).length;
      expect([threshold, recall]).toEqual([threshold, predicted / 3]);
    }
    expect(body.aspects.BPO).toBeUndefined();
    expect(problemIn(await test.call({ url: url.replace(setId, randomUUID()) })).status).toBe(422);
    expect((await test.call({ url: `${url}&category=PK` })).body).toMatchObject({ fmax: null, aspects: {} });
  });
});

describe('deleting', () => {
  it('takes the stored booster along with the last row that uses it', async () => {
    const { body: first } = await upload({ ...files('gone'), name: 'gone' });
    const { body: second } = await reference({
      artifact_uri: first.artifact_uri,
      run_json: run('gone'),
      spec_yaml: spec,
      name: 'gone too',
    });
    const remove = (id: string) =>
      test.call({ method: 'DELETE', url: `/v1/scoring/rerankers/${id}`, headers: operator.headers });
    expect((await remove(first.id)).status).toBe(204);
    expect(await test.artifacts.size(first.artifact_uri)).not.toBeNull();
    expect((await remove(second.id)).status).toBe(204);
    expect(await test.artifacts.size(first.artifact_uri)).toBeNull();
    expect(problemIn(await remove(first.id)).status).toBe(404);
  });
});
