import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddingRecipe } from '@kindred/contracts';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createBackend } from './backend.js';
import { modelPlace, settings } from './settings.js';
import { writeEmptyEsmc } from './testing/empty-esmc.js';
import { goldenFamilies, goldenSequences, modelsFolder, readExpected } from './testing/golden.js';
import { goldenRecipe } from './testing/recipe.js';

const models = modelsFolder(...goldenFamilies);
afterAll(() => rmSync(models, { recursive: true }));
const backend = createBackend({ modelsDir: models, modelDevice: 'cpu', sharedWeights: false });

async function embed(sequences: readonly string[], changes: Partial<EmbeddingRecipe> = {}) {
  const session = await backend.open(goldenRecipe(changes));
  try {
    const result = await session.embed(sequences);
    const rows = Array.from(result.sequenceIndex, (_, row) =>
      result.vectors.slice(row * session.dimension, (row + 1) * session.dimension),
    );
    return { ...result, rows, dimension: session.dimension };
  } finally {
    await session.close();
  }
}

it.each([
  ['private', 0],
  ['shared', 1],
] as const)('with %s weights makes %i shared copies of them', async (weights, copies) => {
  const dataDir = modelsFolder();
  const folder = modelsFolder('esm2');
  const place = modelPlace({ dataDir, settings: settings.parse({ models_dir: folder, weights }) } as never);
  const session = await createBackend(place).open(goldenRecipe());
  await session.close();
  const names = readdirSync(join(folder, 'esm2')).filter((name) => name.startsWith('kindred-prepared-'));
  for (const path of [dataDir, folder]) rmSync(path, { recursive: true });
  expect(names).toHaveLength(copies);
});

/** Pools transformers' states plainly, by the definitions. */
function pooled(states: Float32Array[], changes: Partial<EmbeddingRecipe>, [first, end]: [number, number]) {
  const { layer_indices, layer_agg, pooling, normalize_residues, normalize } = goldenRecipe(changes);
  const length = (vector: number[]) => Math.hypot(...vector) || 1;
  const last = states.length - 1;
  const used = layer_agg === 'last' ? [Math.min(...layer_indices)] : layer_indices;
  const token = (t: number) => used.map((index) => [...states[last - index].slice(t * 32, t * 32 + 32)]);
  const residueAt = (t: number) => {
    const parts = token(t);
    const joined =
      layer_agg === 'concat'
        ? parts.flat()
        : parts[0].map((_, i) => parts.reduce((sum, part) => sum + part[i], 0) / parts.length);
    return normalize_residues ? joined.map((value) => value / length(joined)) : joined;
  };
  const residues =
    pooling === 'cls' ? [residueAt(0)] : Array.from({ length: end - first }, (_, i) => residueAt(first + i));
  const mean = residues[0].map((_, i) => residues.reduce((sum, one) => sum + one[i], 0) / residues.length);
  const max = residues[0].map((_, i) => Math.max(...residues.map((one) => one[i])));
  const vector = pooling === 'max' ? max : pooling === 'mean_max' ? [...mean, ...max] : mean;
  return normalize ? vector.map((value) => value / length(vector)) : vector;
}

function expectClose(actual: Float32Array, expected: number[]) {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => expect(Math.abs(value - actual[i])).toBeLessThan(1e-5));
}

describe('recipes', () => {
  const changes: Partial<EmbeddingRecipe>[] = [
    {},
    { pooling: 'max' },
    { pooling: 'mean_max', normalize: true },
    { pooling: 'cls' },
    { layer_indices: [0, 2], normalize_residues: true },
    { layer_indices: [1, 0], layer_agg: 'concat', pooling: 'mean_max' },
    { layer_indices: [2, 0], layer_agg: 'concat', normalize: true },
    { layer_indices: [2, 1], layer_agg: 'last', normalize: true },
    { layer_indices: [2] },
  ];
  it.each(changes)('give what their definition gives on the states of transformers: %o', async (change) => {
    const states = (await readExpected(join(models, 'esm2'))).get(1) as Float32Array[];
    const sequence = goldenSequences[1];
    const { rows } = await embed([sequence], change);
    expectClose(rows[0], pooled(states, change, [1, 1 + sequence.length]));
  });

  it('leave out the end of T5, the direction token of ProstT5, and two marks on each side of E1', async () => {
    for (const [name, first] of [
      ['prott5', 0],
      ['prostt5', 1],
      ['e1', 2],
    ] as const) {
      const states = (await readExpected(join(models, name))).get(2) as Float32Array[];
      const { rows } = await embed(['MA'], { model_name: name });
      expectClose(rows[0], pooled(states, {}, [first, first + 2]));
    }
  });

  it('read U, Z, O and B as X for ProtT5 and ProtBERT, and as themselves for ESM-2 and Ankh', async () => {
    for (const name of ['prott5', 'protbert', 'esm2', 'ankh']) {
      const { rows } = await embed(['MUKZOB', 'MXKXXX'], { model_name: name });
      if (['prott5', 'protbert'].includes(name)) expect(rows[0]).toEqual(rows[1]);
      else expect(rows[0]).not.toEqual(rows[1]);
    }
  });

  it('that a model cannot follow are refused field by field', async () => {
    const refused = async (changes: Partial<EmbeddingRecipe>, paths: string[]) => {
      const error = await backend.open(goldenRecipe(changes)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'validation_failed' });
      expect((error as { errors: { path: string }[] }).errors.map(({ path }) => path)).toEqual(paths);
    };
    await refused({ layer_indices: [3] }, ['/layer_indices']);
    await refused({ layer_indices: [0, 0] }, ['/layer_indices']);
    await refused({ model_name: 'prott5', pooling: 'cls' }, ['/pooling']);
    await refused({ pooling: 'cls', normalize_residues: true }, ['/normalize_residues']);
    await refused({ model_name: 'esm1b', max_length: 63 }, ['/max_length']);
    await refused({ use_chunking: true, chunk_size: 51, chunk_overlap: 51 }, [
      '/chunk_size',
      '/chunk_overlap',
    ]);
  });
});

describe('inspect', () => {
  const inspect = (changes: Partial<EmbeddingRecipe>) => backend.inspect?.(goldenRecipe(changes));

  it('tells the dimension that a session would have, without opening the model', async () => {
    const change = { layer_indices: [0, 1], layer_agg: 'concat', pooling: 'mean_max' } as const;
    const session = await backend.open(goldenRecipe({ ...change, layer_indices: [0, 1] }));
    await session.close();
    expect(session.dimension).toBe(128);
    expect(await inspect({ ...change, layer_indices: [0, 1] })).toEqual({ dimension: 128 });
  });

  it('refuses what a session would refuse: the recipe, and weights that do not fit config.json', async () => {
    await expect(inspect({ layer_indices: [3] })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(inspect({ model_name: 'esm9' })).rejects.toMatchObject({ code: 'unknown_model' });
    const folder = modelsFolder('esm2');
    const path = join(folder, 'esm2', 'config.json');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('"intermediate_size": 64', '"intermediate_size": 96'),
    );
    const other = createBackend({ modelsDir: folder, modelDevice: 'cpu', sharedWeights: false });
    await expect(other.inspect?.(goldenRecipe())).rejects.toThrow(
      /esm2 cannot be used: the tensor .*intermediate\.dense\.bias has the shape 64; config\.json asks for 96/,
    );
    rmSync(folder, { recursive: true });
  });
});

describe('long sequences', () => {
  const long = goldenSequences[0].repeat(3);

  it('are seen in windows, no residue left out', async () => {
    const { rows, chunkEnd } = await embed([long], { max_length: 50 });
    expect([...chunkEnd]).toEqual([-1]);
    const windows = await embed(
      [0, 42, 84, 126].map((start) => long.slice(start, start + 42)),
      { max_length: 50 },
    );
    const mean = Array.from({ length: 32 }, (_, i) => windows.rows.reduce((sum, row) => sum + row[i], 0) / 4);
    expectClose(rows[0], mean);
    // A change of the last residue changes the vector.
    const changed = await embed([`${long.slice(0, -1)}W`], { max_length: 50 });
    expect(changed.rows[0]).not.toEqual(rows[0]);
  });

  it('get one vector for each chunk', async () => {
    const { rows, chunkStart, chunkEnd, sequenceIndex } = await embed(['MA', goldenSequences[0]], {
      use_chunking: true,
    });
    expect([...sequenceIndex]).toEqual([0, 1, 1, 1, 1]);
    expect([...chunkStart]).toEqual([0, 0, 15, 30, 45]);
    expect([...chunkEnd]).toEqual([2, 20, 35, 50, 56]);
    const alone = await embed([goldenSequences[0].slice(15, 35)]);
    expect(rows[2]).toEqual(alone.rows[0]);
  });
});

describe('company', () => {
  it('does not change a vector by one bit', async () => {
    const letters = [...'ACDEFGHIKLMNPQRSTVWYX'];
    const sequence = fc
      .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 70 })
      .map((list) => list.join(''));
    for (const model_name of goldenFamilies) {
      const session = await backend.open(goldenRecipe({ model_name, normalize: true }));
      await fc.assert(
        fc.asyncProperty(fc.array(sequence, { minLength: 1, maxLength: 40 }), async (sequences) => {
          const together = await session.embed(sequences);
          const chosen = Math.floor(sequences.length / 2);
          const alone = await session.embed([sequences[chosen]]);
          const { dimension } = session;
          expect(together.vectors.slice(chosen * dimension, (chosen + 1) * dimension)).toEqual(alone.vectors);
        }),
        { numRuns: 15 },
      );
      await session.close();
    }
  });
});

describe('models', () => {
  it('are listed with their dimension, a broken folder is not', async () => {
    const folder = modelsFolder('esm2', 'ankh');
    writeFileSync(join(folder, 'ankh', 'config.json'), '{');
    const listed = await createBackend({
      modelsDir: folder,
      modelDevice: 'cpu',
      sharedWeights: false,
    }).models();
    expect(listed.map((model) => [model.model_name, model.dimension])).toEqual([
      ['esm2', 32],
      ['esm2@int8', 32],
    ]);
    rmSync(folder, { recursive: true });
  });

  it('of two tasks are two models, each with its own vectors', async () => {
    const folder = modelsFolder('ankh3');
    const tasks = createBackend({ modelsDir: folder, modelDevice: 'cpu', sharedWeights: false });
    const names = (await tasks.models()).map((model) => model.model_name);
    expect(names).toEqual(['ankh3', 'ankh3@int8', 'ankh3@s2s', 'ankh3@s2s@int8']);
    for (const [model_name, file] of [
      ['ankh3', 'expected.safetensors'],
      ['ankh3@s2s', 'expected-s2s.safetensors'],
    ]) {
      const session = await tasks.open(goldenRecipe({ model_name }));
      const states = (await readExpected(join(folder, 'ankh3'), file)).get(2) as Float32Array[];
      // The token of the task and the mark of a word come before the residues.
      expectClose((await session.embed(['MA'])).vectors, pooled(states, {}, [2, 4]));
      expect((await session.embed(['J'])).vectors).toEqual((await session.embed(['X'])).vectors);
      await session.close();
    }
    await expect(backend.open(goldenRecipe({ model_name: 'esm2@s2s' }))).rejects.toThrow(/no token \[S2S\]/);
    rmSync(folder, { recursive: true });
  });

  it('that are not there are named', async () => {
    await expect(backend.open(goldenRecipe({ model_name: 'esm9' }))).rejects.toMatchObject({
      code: 'unknown_model',
      message: expect.stringMatching(
        /no language model esm9\. Installed: ankh, e1, esm1b.*kindred models pull esm9/,
      ),
    });
    await expect(backend.open(goldenRecipe({ model_name: '../esm2' }))).rejects.toMatchObject({
      code: 'unknown_model',
    });
    const empty = mkdtempSync(join(tmpdir(), 'kindred-none-'));
    expect(
      await createBackend({
        modelsDir: join(empty, 'absent'),
        modelDevice: 'cpu',
        sharedWeights: false,
      }).models(),
    ).toEqual([]);
    rmSync(empty, { recursive: true });
  });

  it('say in words that CUDA is absent', async () => {
    const cuda = createBackend({ modelsDir: models, modelDevice: 'cuda', sharedWeights: false });
    const error = await cuda.open(goldenRecipe()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringMatching(/model esm2 cannot be used.*SVC_MODEL_DEVICE=cpu/),
    });
  });

  it('that do not fit into memory are refused with their need, before they are read', async () => {
    // The folder has an ESM C of six billion weights: the list of its tensors, and a hole instead of the numbers.
    const folder = modelsFolder('esmc');
    const path = join(folder, 'esmc-6b');
    mkdirSync(path);
    writeEmptyEsmc(path, { hidden: 2560, layers: 80, heads: 40, intermediate: 6912 });
    const large = createBackend({ modelsDir: folder, modelDevice: 'cpu', sharedWeights: false });
    const available = vi.spyOn(process, 'availableMemory').mockReturnValue(22e9);
    await expect(large.open(goldenRecipe({ model_name: 'esmc-6b' }))).rejects.toMatchObject({
      code: 'out_of_resources',
      message: expect.stringMatching(
        /esmc-6b cannot be used: it needs 25\.\d GB of memory \(25\.4 GB for its weights, once for all threads\) and 22\.0 GB are free/,
      ),
    });
    await (await large.open(goldenRecipe({ model_name: 'esmc' }))).close();
    available.mockRestore();
    expect(readdirSync(path).sort()).toEqual(['config.json', 'model.safetensors']);
    rmSync(folder, { recursive: true });
  });

  it('whose weights changed are refused by their self-check, before any vector', async () => {
    const folder = modelsFolder('esm2');
    const fresh = createBackend({ modelsDir: folder, modelDevice: 'cpu', sharedWeights: false });
    await (await fresh.open(goldenRecipe())).close();
    const path = join(folder, 'esm2', 'model.safetensors');
    const bytes = readFileSync(path);
    for (let i = 0; i < 4000; i++) bytes[bytes.length - 40_000 + 4 * i + 2] ^= 0x55;
    writeFileSync(path, bytes);
    await expect(fresh.open(goldenRecipe())).rejects.toThrow(/esm2 cannot be used: its self-check failed/);
    rmSync(folder, { recursive: true });
  });
});
