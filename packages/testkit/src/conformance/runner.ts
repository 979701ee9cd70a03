import assert from 'node:assert/strict';
import {
  type RunnerInput,
  type RunnerOutput,
  runnerOutputFault,
  type RunnerPlugin,
} from '@kindred/contracts';
import { type Check, descriptionChecks, seededRandom, testContext } from './check.js';

export interface RunnerConformance {
  parameters?: Record<string, unknown>;
  /** Whether the runner may give terms that no neighbour carries (a baseline); the sources are -1 then. */
  withoutSources?: boolean;
}

const termCount = 40;
const referenceCount = 60;

/** Lists the requirements of the service for every runner. */
export function runnerConformance(plugin: RunnerPlugin, options: RunnerConformance = {}): Check[] {
  const run = async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    const runner = await plugin.load(testContext(plugin));
    return runner.run({ ...input, ...(options.parameters && { parameters: options.parameters }) }, signal);
  };
  const onRandomInputs = (check: (input: RunnerInput, output: RunnerOutput) => void) => async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const input = randomInput(seed);
      check(input, await run(input));
    }
  };
  return [
    ...descriptionChecks(plugin, 'runner'),
    {
      name: 'gives rows by query and falling score from 0 to 1, each pair once, of neighbours that carry the term',
      run: onRandomInputs((input, output) => assert.equal(runnerOutputFault(input, output), null)),
    },
    { name: 'hands on no term that is qualified NOT everywhere', run: onRandomInputs(checkNegated) },
    ...(options.withoutSources
      ? []
      : [
          {
            name: 'names a source for each term',
            run: onRandomInputs((_, { source }) => assert.ok(source.every((reference) => reference >= 0))),
          },
        ]),
    {
      name: 'gives the same again, and leaves its input as it is',
      run: async () => {
        const input = randomInput(7);
        const copy = structuredClone(input);
        const first = await run(input);
        assert.deepEqual(input, copy, 'the input was changed');
        assert.deepEqual(await run(input), first);
      },
    },
    {
      name: 'keeps to the aspect that it is asked for',
      run: async () => {
        const input = { ...randomInput(3), aspect: 1 };
        const { term } = await run(input);
        assert.ok(term.every((one) => input.termAspect?.[one] === 1));
      },
    },
    {
      name: 'takes no query at all',
      run: async () => {
        const input = randomInput(1);
        const none = { ...input, nQuery: 0, neighbours: new Int32Array(0), distances: new Float32Array(0) };
        assert.equal((await run(none)).query.length, 0);
      },
    },
  ];
}

/** Makes neighbours by ascending distance; some lists are shorter than k, and some annotations are NOT. */
function randomInput(seed: number): RunnerInput {
  const random = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const nQuery = 8;
  const k = 5;
  const neighbours = new Int32Array(nQuery * k).fill(-1);
  const distances = new Float32Array(nQuery * k).fill(Number.NaN);
  for (let query = 0; query < nQuery; query++) {
    const found = below(k + 1);
    const near = Array.from({ length: found }, () => Math.fround(2 * random())).sort((a, b) => a - b);
    const chosen = new Set<number>();
    while (chosen.size < found) chosen.add(below(referenceCount));
    neighbours.set([...chosen], query * k);
    distances.set(near, query * k);
  }
  const lists = Array.from({ length: referenceCount }, () => [
    ...new Set(Array.from({ length: below(6) }, () => below(termCount))),
  ]);
  const termStart = new Int32Array(referenceCount + 1);
  lists.forEach((list, i) => {
    termStart[i + 1] = termStart[i] + list.length;
  });
  const terms = Int32Array.from(lists.flat());
  return {
    nQuery,
    k,
    neighbours,
    distances,
    termStart,
    terms,
    negated: Uint8Array.from(terms, () => (random() < 0.1 ? 1 : 0)),
    termAspect: Uint8Array.from({ length: termCount }, (_, term) => term % 3),
    metric: 'cosine',
  };
}

function carries(input: RunnerInput, reference: number, term: number): boolean {
  for (let at = input.termStart[reference]; at < input.termStart[reference + 1]; at++)
    if (input.terms[at] === term && input.negated?.[at] !== 1) return true;
  return false;
}

function checkNegated(input: RunnerInput, { term }: RunnerOutput): void {
  for (const one of new Set(term)) {
    const carried = Array.from({ length: referenceCount }, (_, reference) => carries(input, reference, one));
    assert.ok(carried.includes(true), `term ${one} has only annotations that are qualified NOT`);
  }
}
