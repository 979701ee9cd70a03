import { runnerConformance } from '@kindred/testkit/conformance';
import { describe, expect, it } from 'vitest';
import { plugin } from './index.js';

/** The model has two splits: more than one vote scores high, and then the aspect mfo scores a little higher. */
const model = (features = ['distance', 'vote_count', 'aspect']) =>
  [
    ...[
      'tree',
      'version=v4',
      'num_class=1',
      'num_tree_per_iteration=1',
      `max_feature_idx=${features.length - 1}`,
    ],
    ...['objective=binary sigmoid:1', `feature_names=${features.join(' ')}`],
    `feature_infos=${features.map((name) => (name === 'aspect' ? '0:1:2' : '[0:5]')).join(' ')}`,
    ...['tree_sizes=1 1', '', 'Tree=0', 'num_leaves=2', 'num_cat=0', 'split_feature=1', 'threshold=1.5'],
    ...[
      'decision_type=2',
      'left_child=-1',
      'right_child=-2',
      'leaf_value=-1 1',
      '',
      'Tree=1',
      'num_leaves=2',
    ],
    ...['num_cat=1', 'split_feature=2', 'threshold=0', 'decision_type=1', 'left_child=-1', 'right_child=-2'],
    ...['leaf_value=0.25 0', 'cat_boundaries=0 1', 'cat_threshold=4', '', 'end of trees', ''],
    'pandas_categorical:[["bpo","cco","mfo"]]',
  ].join('\n');

/**
 * The input has two queries, and three references with the terms 0 and 0, then 0 and 1, then 2 (with NOT 1); term 1 is of molecular
 * function.
 */
const input = {
  nQuery: 2,
  k: 2,
  neighbours: Int32Array.of(1, 0, 2, -1),
  distances: Float32Array.of(0.5, 1, 0.25, Infinity),
  termStart: Int32Array.of(0, 1, 3, 5),
  terms: Int32Array.of(0, 0, 1, 2, 1),
  negated: Uint8Array.of(0, 0, 0, 0, 1),
  termAspect: Uint8Array.of(0, 1, 0),
  metric: 'cosine' as const,
};
const context = { dataDir: '', settings: {} };
const logistic = (x: number) => 1 / (1 + Math.exp(-x));

describe('runner lightgbm as every runner', () => {
  it.each(runnerConformance(plugin, { parameters: { model: model() } }))('$name', ({ run }) => run());
});

describe('runner lightgbm', () => {
  it('scores the candidates by the booster, best first', async () => {
    const output = await (await plugin.load(context)).run({ ...input, parameters: { model: model() } });
    expect([...output.query]).toEqual([0, 0, 1]);
    expect([...output.term]).toEqual([0, 1, 2]);
    expect([...output.score]).toEqual([logistic(1), logistic(-0.75), logistic(-1)]);
    expect([...output.source]).toEqual([1, 1, 2]);
    const first = await (await plugin.load(context)).run({
      ...input,
      parameters: { model: model(), num_iteration: 1 },
    });
    expect([...first.score]).toEqual([logistic(1), logistic(-1), logistic(-1)]);
  });

  it('refuses what it cannot apply', async () => {
    const runner = await plugin.load(context);
    await expect(runner.run(input)).rejects.toMatchObject({ code: 'validation_failed' });
    const broken = { ...input, parameters: { model: 'no tree' } };
    await expect(runner.run(broken)).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('line 1'),
    });
    const other = { ...input, parameters: { model: model(['distance', 'identity_nw', 'aspect']) } };
    await expect(runner.run(other)).rejects.toMatchObject({ code: 'schema_mismatch' });
    const untold = { ...input, termAspect: undefined, parameters: { model: model() } };
    await expect(runner.run(untold)).rejects.toThrow('termAspect is missing');
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(runner.run({ ...input, parameters: { model: model() } }, stop)).rejects.toThrow('enough');
  });
});
