import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenOptions, openModel, readModelFolder } from '../models/folder.js';
import { goldenFamilies, goldenSequences, modelsFolder } from '../testing/golden.js';
import { goldenRecipe } from '../testing/recipe.js';
import { readEncoderWeights } from '../weights/read-config.js';
import { loadRuntime } from '../runtime/load.js';
import { openEncoder } from './encoder.js';
import { type GraphToPrepare, preparedGraph } from './prepared-graph.js';

const runtime = loadRuntime('');
const models = modelsFolder(...goldenFamilies, 'esm2-float16');
afterAll(() => rm(models, { recursive: true }));

/** Opens the model in the way in which a large one is opened. */
async function openAsLarge(model: string, shared: boolean) {
  const { path, files, config, tokenizer } = await readModelFolder(join(models, model));
  const weights = await readEncoderWeights(path, files, config);
  const options = { quantised: null, device: 'cpu', shared, maxTokens: 64, asStoredFrom: 0 } as const;
  const encoder = await openEncoder({
    runtime,
    folder: path,
    config,
    weights,
    states: [config.layers],
    ...options,
  });
  return { encoder, tokenizer };
}

/** Returns the last states of the first golden sequence. */
async function statesOfLarge(model: string, shared: boolean): Promise<Float32Array> {
  const { encoder, tokenizer } = await openAsLarge(model, shared);
  const ids = tokenizer.encode(goldenSequences[0]);
  const [states] = await encoder.run(BigInt64Array.from(ids, BigInt), 1, ids.length);
  await encoder.close();
  return states;
}

async function vectors(model: string, options: Partial<OpenOptions>): Promise<Float32Array> {
  const folder = await readModelFolder(join(models, model));
  const session = await openModel(folder, goldenRecipe(), { int8: null, device: 'cpu', ...options });
  try {
    return (await session.embed(goldenSequences)).vectors;
  } finally {
    await session.close();
  }
}

const preparedIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('kindred-prepared-'));

describe('shared weights', () => {
  it.each(goldenFamilies)('of %s give the same bits', async (family) => {
    const expected = await vectors(family, {});
    expect(await preparedIn(join(models, family))).toEqual([]);
    for (const opened of ['made', 'kept'])
      expect(await vectors(family, { shared: true }), opened).toEqual(expected);
    expect(await preparedIn(join(models, family))).toHaveLength(1);
  });

  // Weights in blocks stay private, because the runtime cannot store them.
  it.each([
    ['output', 1],
    ['block', 0],
  ] as const)('in int8 with a scale for each %s give the same bits', async (int8, made) => {
    const expected = await vectors('esm2', { int8 });
    expect(expected).not.toEqual(await vectors('esm2', {}));
    const before = await preparedIn(join(models, 'esm2'));
    expect(await vectors('esm2', { int8, shared: true })).toEqual(expected);
    expect(await preparedIn(join(models, 'esm2'))).toHaveLength(before.length + made);
  });

  it.runIf(process.platform === 'linux')('are mapped from the prepared file', async () => {
    const folder = await readModelFolder(join(models, 'esm1b'));
    const session = await openModel(folder, goldenRecipe(), { int8: null, device: 'cpu', shared: true });
    const maps = await readFile('/proc/self/maps', 'utf8');
    await session.close();
    const [place] = await preparedIn(folder.path);
    expect(maps).toContain(join(folder.path, place, 'weights.bin'));
  });
});

describe('weights of a large model', () => {
  it.runIf(process.platform === 'linux')('are mapped from the file of the model', async () => {
    const path = join(models, 'esm2');
    const before = await preparedIn(path);
    const { encoder } = await openAsLarge('esm2', true);
    const maps = await readFile('/proc/self/maps', 'utf8');
    await encoder.close();
    expect(maps).toContain(join(path, 'model.safetensors'));
    expect(await preparedIn(path)).toEqual(before);
  });

  it('are shared as float32 where the file has them as float16, with the same bits', async () => {
    const expected = await statesOfLarge('esm2-float16', false);
    expect(await preparedIn(join(models, 'esm2-float16'))).toEqual([]);
    for (const opened of ['made', 'kept'])
      expect(await statesOfLarge('esm2-float16', true), opened).toEqual(expected);
    expect(await preparedIn(join(models, 'esm2-float16'))).toHaveLength(1);
  });
});

describe('a prepared graph', () => {
  let source: GraphToPrepare;
  beforeAll(async () => {
    await vectors('esmc', {});
    const folder = await mkdtemp(join(tmpdir(), 'kindred-prepared-test-'));
    await cp(join(models, 'esmc'), folder, { recursive: true, preserveTimestamps: true });
    for (const name of await preparedIn(folder)) await rm(join(folder, name), { recursive: true });
    const names = await readdir(folder);
    const graph = join(folder, names.find((name) => name.startsWith('kindred-graph-')) as string);
    const weightFiles = names.filter(
      (name) => name.endsWith('.safetensors') && name !== 'expected.safetensors',
    );
    const probe = async () => [Float32Array.of(1)];
    source = { runtime, graph, folder, weightFiles, weightBytes: 1e6, asStored: false, probe };
  });
  afterAll(() => rm(source.folder, { recursive: true }));

  it('is made once by many at the same time', async () => {
    const paths = await Promise.all(Array.from({ length: 4 }, () => preparedGraph(source)));
    expect(new Set(paths).size).toBe(1);
    expect(paths[0]).not.toBeNull();
    expect(await preparedIn(source.folder)).toHaveLength(1);
  });

  it('is another one for other weights; only the two used last are kept', async () => {
    const first = (await preparedGraph(source)) as string;
    const others: (string | null)[] = [];
    for (const seconds of [1_700_000_000, 1_700_000_001]) {
      await utimes(join(source.folder, source.weightFiles[0]), seconds, seconds);
      others.push(await preparedGraph(source));
    }
    expect(new Set([first, ...others]).size).toBe(3);
    const kept = (await preparedIn(source.folder)).map((name) => join(source.folder, name, 'graph.onnx'));
    expect(kept.sort()).toEqual([...others].sort());
  });

  it('is made after a process died while it made it', async () => {
    const path = (await preparedGraph(source)) as string;
    const place = join(path, '..');
    await rm(place, { recursive: true });
    await mkdir(`${place}.draft`);
    await writeFile(join(`${place}.draft`, 'weights.bin'), 'half');
    expect(await preparedGraph(source, { deadAfterMs: 0 })).toBe(path);
    expect((await stat(path)).size).toBeGreaterThan(100);
    expect(await preparedIn(source.folder)).not.toContainEqual(expect.stringContaining('draft'));
  });

  it('is not kept where it gives other numbers', async () => {
    await utimes(join(source.folder, source.weightFiles[0]), 1_600_000_000, 1_600_000_000);
    const before = await preparedIn(source.folder);
    let answer = 0;
    const probe = async () => [Float32Array.of(answer++)];
    expect(await preparedGraph({ ...source, probe })).toBeNull();
    expect(await preparedIn(source.folder)).toEqual(before);
  });

  it('is not made where the disk has no room, or the graph is damaged', async () => {
    const none = { ...source, graph: join(source.folder, 'other.onnx') };
    await writeFile(none.graph, 'no graph');
    const before = await preparedIn(source.folder);
    expect(await preparedGraph(none, { reserveBytes: Number.MAX_SAFE_INTEGER })).toBeNull();
    expect(await preparedGraph(none)).toBeNull();
    expect(await preparedIn(source.folder)).toEqual(before);
  });
});
