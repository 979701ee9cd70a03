import assert from 'node:assert/strict';
import type {
  BackendPlugin,
  EmbeddedSequences,
  EmbeddingRecipe,
  EmbeddingSession,
  PluginContext,
} from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { type Check, descriptionChecks, rejection, testContext } from './check.js';

export interface BackendConformance {
  /** The context for `load`; by default a service without models and servers. */
  context?: PluginContext;
  /** A valid recipe; by default the first model with plain settings. */
  recipe?: Partial<EmbeddingRecipe>;
  /** The maximum difference of one number between two calls; default 0. */
  tolerance?: number;
}

const sequences = [
  'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ',
  'MSKGEELFTGVVPILVELDGDVNGHKFSVSGEGEGDATYGKLTLKFICTTGKLPVPWPTLVTTLTYGVQCFSRYPDHMKQHDFFKSAMPEGYVQERTIFF',
  'ACDEFGHIKLMNPQRSTVWY',
  'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ',
];

/** Lists the requirements of the service for every embedding backend. */
export function backendConformance(plugin: BackendPlugin, options: BackendConformance = {}): Check[] {
  return [
    ...descriptionChecks(plugin, 'backend'),
    { name: 'lists models with their dimensions', run: () => listsModels(plugin, options.context) },
    { name: 'refuses an unknown model', run: () => refusesUnknown(plugin, options) },
    ...rowChecks(plugin, options),
    ...samenessChecks(plugin, options),
  ];
}

type WithSession = (work: (session: EmbeddingSession) => Promise<void>) => () => Promise<void>;

function sessions(plugin: BackendPlugin, options: BackendConformance): WithSession {
  return (work) => async () => {
    const backend = await plugin.load(options.context ?? testContext(plugin));
    const [model] = await backend.models();
    const recipe = { ...plainRecipe(plugin.name, model?.model_name ?? ''), ...options.recipe };
    const session = await backend.open(recipe);
    try {
      await work(session);
    } finally {
      await session.close();
    }
  };
}

function rowChecks(plugin: BackendPlugin, options: BackendConformance): Check[] {
  const withSession = sessions(plugin, options);
  return [
    {
      name: 'gives whole, finite rows in the order of the sequences',
      run: withSession(async (session) => {
        checkRows(await session.embed(sequences), session.dimension, sequences.length);
      }),
    },
    {
      name: 'gives nothing for nothing',
      run: withSession(async (session) => {
        checkRows(await session.embed([]), session.dimension, 0);
      }),
    },
    {
      name: 'stops when the signal aborts',
      run: withSession(async (session) => {
        const stop = AbortSignal.abort(new Error('stopped by the conformance suite'));
        await rejection(session.embed(sequences, stop), 'an aborted call');
      }),
    },
  ];
}

function samenessChecks(plugin: BackendPlugin, options: BackendConformance): Check[] {
  const withSession = sessions(plugin, options);
  const { tolerance = 0 } = options;
  return [
    {
      name: 'gives the same vectors again, and for equal sequences',
      run: withSession(async (session) => {
        const first = await session.embed(sequences);
        assertClose(first.vectors, (await session.embed(sequences)).vectors, tolerance);
        assertClose(rowsOf(first, 0, session.dimension), rowsOf(first, 3, session.dimension), tolerance);
      }),
    },
    {
      name: 'gives a sequence the same vector regardless of others in the call',
      run: withSession(async (session) => {
        const together = await session.embed(sequences);
        const reversed = await session.embed([...sequences].reverse());
        for (const [i, sequence] of sequences.entries()) {
          const alone = await session.embed([sequence]);
          const own = rowsOf(together, i, session.dimension);
          assertClose(own, alone.vectors, tolerance);
          assertClose(own, rowsOf(reversed, sequences.length - 1 - i, session.dimension), tolerance);
        }
      }),
    },
    {
      name: 'tells different sequences apart',
      run: withSession(async (session) => {
        const { vectors } = await session.embed(sequences.slice(0, 2));
        const [one, other] = [vectors.subarray(0, session.dimension), vectors.subarray(session.dimension)];
        assert.ok(
          one.some((value, i) => value !== other[i]),
          'two different proteins have the same vector',
        );
      }),
    },
  ];
}

function plainRecipe(backend: string, model: string): EmbeddingRecipe {
  return completeRecipe({ model_name: model, model_backend: backend, normalize: false });
}

async function listsModels(
  plugin: BackendPlugin,
  context: PluginContext = testContext(plugin),
): Promise<void> {
  const models = await (await plugin.load(context)).models();
  assert.ok(models.length > 0, 'it has no model');
  const names = new Set(models.map(({ model_name }) => model_name));
  assert.equal(names.size, models.length, 'two models share a name');
  for (const { model_name, dimension, description } of models) {
    assert.ok(Number.isInteger(dimension) && dimension > 0, `${model_name}: dimension is ${dimension}`);
    assert.ok(description.length > 0, `${model_name}: description is empty`);
  }
}

async function refusesUnknown(plugin: BackendPlugin, options: BackendConformance): Promise<void> {
  const backend = await plugin.load(options.context ?? testContext(plugin));
  const recipe = {
    ...plainRecipe(plugin.name, ''),
    ...options.recipe,
    model_name: 'no-backend-has-this-model',
  };
  const error = await rejection(backend.open(recipe), 'a model that it does not list');
  assert.equal(
    (error as { code?: unknown }).code,
    'unknown_model',
    'throw ProblemError("unknown_model", ...) of @kindred/contracts',
  );
}

function checkRows(rows: EmbeddedSequences, dimension: number, count: number): void {
  const { sequenceIndex, chunkStart, chunkEnd, vectors } = rows;
  assert.equal(sequenceIndex.length, count, 'without chunking there is one row per sequence');
  assert.equal(chunkStart.length, count);
  assert.equal(chunkEnd.length, count);
  assert.equal(vectors.length, count * dimension, `${count} rows of ${dimension} numbers`);
  for (let row = 0; row < count; row++) {
    assert.equal(sequenceIndex[row], row, 'rows ascend by sequence');
    assert.equal(chunkStart[row], 0);
    assert.equal(chunkEnd[row], -1, 'chunkEnd is -1 where chunking is off');
  }
  const bad = vectors.findIndex((value) => !Number.isFinite(value));
  assert.equal(bad, -1, `number ${bad} is ${vectors[bad]}`);
}

function rowsOf({ vectors }: EmbeddedSequences, row: number, dimension: number): Float32Array {
  return vectors.slice(row * dimension, (row + 1) * dimension);
}

function assertClose(found: Float32Array, expected: Float32Array, tolerance: number): void {
  assert.equal(found.length, expected.length);
  const worst = found.findIndex((value, i) => !(Math.abs(value - expected[i]) <= tolerance));
  assert.equal(worst, -1, `number ${worst} is ${found[worst]} and ${expected[worst]}`);
}
