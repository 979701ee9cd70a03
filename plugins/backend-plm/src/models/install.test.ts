import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelsFolder } from '../testing/golden.js';
import { type StubHub, startStubHub } from '../testing/stub-hub.js';
import { checkInstalled } from './check-installed.js';
import { addModel, pullModel, type PullPlan, type PullRequest } from './install.js';

let source: string;
let models: string;
let hub: StubHub;
beforeEach(async () => {
  source = modelsFolder('esm2', 'ankh', 'esmc-2024', 'e1');
  models = modelsFolder();
  hub = await startStubHub(join(source, 'esm2'), 'lab/esm2');
});
afterEach(async () => {
  await hub.close();
  for (const folder of [source, models]) rmSync(folder, { recursive: true });
});

const request = (changes: Partial<PullRequest> = {}): PullRequest => ({
  modelsDir: models,
  hubUrl: `${hub.url}/`,
  id: 'lab/esm2',
  revision: 'main',
  acceptLicence: false,
  ...changes,
});
const pull = (revision = 'main') => pullModel(request({ revision }), { initialWaitMs: 1 });
const checked = (name: string) => checkInstalled(models, name, { int8: false, device: 'cpu' });
const weights = 'model.safetensors';
const asked = () => hub.requests.filter((request) => request.includes(weights));

describe('pullModel', () => {
  it('fetches what is needed, and the model then passes its check', async () => {
    expect(await pull()).toBe('esm2');
    expect(readdirSync(join(models, 'esm2')).sort()).toEqual([
      'config.json',
      'kindred-model.json',
      'model.safetensors',
      'vocab.txt',
    ]);
    expect(readdirSync(models)).toEqual(['esm2']);
    expect((await checked('esm2')).verified).toBe(3);
    await expect(pull()).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('takes up a cut connection where it broke off', async () => {
    hub.faults.set(weights, ['cut', 'error', 'busy', 'cut']);
    await pull();
    const size = readFileSync(join(source, 'esm2', weights)).length;
    const half = Math.floor(size / 2);
    const starts = asked().map((request) => Number(/bytes=(\d+)-$/.exec(request)?.[1] ?? 0));
    expect(starts).toEqual([0, half, half, half, half + Math.floor((size - half) / 2)]);
    expect(readFileSync(join(models, 'esm2', weights))).toEqual(readFileSync(join(source, 'esm2', weights)));
  });

  it('is right also where the server ignores or mistakes the range', async () => {
    hub.faults.set(weights, ['cut', 'wrong-range', 'ignore-range']);
    await pull();
    expect(readFileSync(join(models, 'esm2', weights))).toEqual(readFileSync(join(source, 'esm2', weights)));
  });

  it('gives up after six tries, keeps what came, and goes on at the next call', async () => {
    hub.faults.set(weights, ['cut', ...Array.from({ length: 5 }, () => 'error' as const)]);
    await expect(pull()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('run the command again to go on'),
    });
    expect(existsSync(join(models, 'esm2'))).toBe(false);
    await pull();
    expect(asked().at(-1)).toMatch(/bytes=[1-9]\d*-$/);
    expect((await checked('esm2')).verified).toBe(3);
  });

  it.each([weights, 'vocab.txt'])('refuses and throws away a %s with another digest', async (file) => {
    hub.damaged.add(file);
    await expect(pull()).rejects.toMatchObject({ code: 'bad_file', message: expect.stringContaining(file) });
    expect(readdirSync(models)).toEqual(['.pull-esm2']);
    expect(readdirSync(join(models, '.pull-esm2')).filter((name) => name.startsWith(file))).toEqual([]);
    hub.damaged.clear();
    expect(await pull()).toBe('esm2');
  });

  it('refuses a file that is longer than the hub says', async () => {
    hub.faults.set(weights, ['too-long']);
    await expect(pull()).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('larger'),
    });
  });

  it('says what is not there', async () => {
    await expect(pull('absent')).rejects.toMatchObject({ code: 'unknown_model' });
    await expect(pullModel(request({ id: 'nosuch' }))).rejects.toThrow(/not in the catalogue/);
    await expect(pullModel(request({ id: '../etc/x' }))).rejects.toMatchObject({ code: 'unknown_model' });
    await hub.close();
    await expect(pull()).rejects.toThrow(/cannot be reached.*SVC_MODEL_HUB_URL/);
  });
});

describe('the terms of a model', () => {
  /** Pulls a model of the catalogue from a hub that has a small one in its place. */
  async function pullKnown(golden: string, repository: string, acceptLicence: boolean) {
    const known = await startStubHub(join(source, golden), repository);
    const plans: PullPlan[] = [];
    const id = repository.split('/')[1];
    const pulled = await pullModel(request({ hubUrl: known.url, id, acceptLicence }), {
      planned: (plan) => plans.push(plan),
    }).catch((error: unknown) => error);
    await known.close();
    const fetched = known.requests.filter((one) => one.includes('/resolve/'));
    return { pulled, plan: plans[0], fetched };
  }

  it('are said before the first byte, and asked for where they restrict use', async () => {
    const repository = 'EvolutionaryScale/esmc-300m-2024-12';
    const refused = await pullKnown('esmc-2024', repository, false);
    expect(refused.pulled).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/licence of this model is Cambrian Open\. It forbids.*--accept-licence/),
    });
    expect(refused.fetched).toEqual([]);
    expect(refused.plan).toMatchObject({ licence: 'Cambrian Open', memoryBytes: 333e6 * 4 });
    expect(refused.plan.sizeBytes).toBeGreaterThan(60_000);
    expect((await pullKnown('esmc-2024', repository, true)).pulled).toBe('esmc-300m-2024-12');
  });

  it('of E1 say whom to name, and the model needs no tokenizer of its own', async () => {
    const repository = 'Profluent-Bio/E1-150m';
    const refused = await pullKnown('e1', repository, false);
    expect(String(refused.pulled)).toMatch(
      /licence of this model is profluent-e1-clickthrough-license\. .*name Profluent-E1.*--accept-licence/,
    );
    expect(refused.fetched).toEqual([]);
    expect((await pullKnown('e1', repository, true)).pulled).toBe('E1-150m');
    const { verified, report } = await checked('E1-150m');
    expect([verified, report.dimension]).toEqual([2, 32]);
  });

  it('of other repositories are those that the hub states', async () => {
    for (const [tags, sentence] of [
      [['license:cc-by-nc-4.0'], /is cc-by-nc-4\.0\. It may restrict/],
      [['esm'], /is not stated\. Its page names no licence/],
    ] as const) {
      hub.tags.splice(0, hub.tags.length, ...tags);
      await expect(pull()).rejects.toThrow(sentence);
    }
    expect(asked()).toEqual([]);
    expect(await pullModel(request({ acceptLicence: true }))).toBe('esm2');
  });

  it('do not make another file of a known model the published one', async () => {
    const name = 'esm2_t6_8M_UR50D';
    const sentence = /model\.safetensors is not the published file: sha256 [0-9a-f]{64}, expected c7832237/;
    const { pulled } = await pullKnown('esm2', `facebook/${name}`, false);
    expect(String(pulled)).toMatch(sentence);
    await expect(addModel(models, join(source, 'esm2'), name)).rejects.toThrow(sentence);
    expect(readdirSync(models)).toEqual([`.pull-${name}`]);
  });
});

describe('addModel', () => {
  it('copies a folder, shards included, and notices later changes of a file', async () => {
    expect(await addModel(models, join(source, 'ankh'), 'our-ankh')).toBe('our-ankh');
    const { verified, report } = await checked('our-ankh');
    expect([verified, report.dimension, report.knownCosine]).toEqual([6, 32, null]);
    expect((await checked('our-ankh')).report.knownCosine).toBeGreaterThan(0.999999);
    const path = join(models, 'our-ankh', 'tokenizer.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('{', '{ '));
    await expect(checked('our-ankh')).rejects.toThrow(
      /our-ankh cannot be used: the file tokenizer\.json is not/,
    );
  });

  it('takes ESM C of 2024 from the folder where its authors keep the weights', async () => {
    const repository = join(source, 'esmc-2024');
    const file = 'esmc_tiny_2024_12_v0.pth';
    mkdirSync(join(repository, 'data', 'weights'), { recursive: true });
    renameSync(join(repository, file), join(repository, 'data', 'weights', file));
    await addModel(models, repository);
    expect(readdirSync(join(models, 'esmc-2024')).sort()).toEqual([
      'config.json',
      file,
      'kindred-model.json',
    ]);
    const { verified, report } = await checked('esmc-2024');
    expect([verified, report.dimension]).toEqual([2, 16]);
  });

  it('leaves nothing behind of a folder that is not a model', async () => {
    writeFileSync(join(source, 'ankh', 'config.json'), '{"model_type": "gpt2"}');
    await expect(addModel(models, join(source, 'ankh'))).rejects.toThrow(/model_type "gpt2"/);
    rmSync(join(source, 'esm2', weights));
    await expect(addModel(models, join(source, 'esm2'))).rejects.toThrow(/has no weights: expected model/);
    await expect(addModel(models, join(source, 'none'))).rejects.toThrow(/no folder/);
    expect(readdirSync(models)).toEqual([]);
  });
});
