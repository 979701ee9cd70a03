import { Random } from '@kindred/kernels/arrays';
import { groupReferences } from '@kindred/kernels/knn';
import { type NeighbourList, type TransferInput, transferTerms } from '@kindred/kernels/scoring';
import { describe, expect, it } from 'vitest';
import { runnerScores } from './runner-scores.js';
import { threadPlugins } from './thread-plugins.js';

const { name, version } = await threadPlugins.runnerPlugin('knn');
const knn = { name, version, parameters: {} };
const running = {
  aborted: () => false,
  bounded: async <Value>(_limit: unknown, work: () => Value | Promise<Value>) => work(),
};
const termCount = 30;

/** Few distances and terms make many scores equal. */
function randomTransfer(seed: number, isSeparated: boolean): TransferInput {
  const random = new Random(`neighbours ${seed}`);
  const references = 25;
  const [nQuery, k] = [6, 4];
  const termAspect = Uint8Array.from({ length: termCount }, (_, term) => term % 3);
  const terms = Array.from({ length: references }, () => [
    ...new Set(Array.from({ length: random.integer(8) }, () => random.integer(termCount))),
  ]);
  const start = new Int32Array(references + 1);
  terms.forEach((list, at) => {
    start[at + 1] = start[at] + list.length;
  });
  const term = Int32Array.from(terms.flatMap((list) => list.sort((a, b) => a - b)));
  const sequence = Int32Array.from({ length: references }, (_, at) => at >> 1);
  const list = (aspect?: number): NeighbourList => {
    const neighbours = new Int32Array(nQuery * k).fill(-1);
    const distances = new Float32Array(nQuery * k).fill(Infinity);
    for (let query = 0; query < nQuery; query++) {
      const found = [...new Set(Array.from({ length: random.integer(k + 1) }, () => 2 * random.integer(12)))];
      neighbours.set(found, query * k);
      distances.set(found.map(() => random.integer(3) / 2).sort(), query * k);
    }
    return { neighbours, distances, ...(aspect !== undefined && { aspect }) };
  };
  return {
    ...{ nQuery, k, metric: 'cosine', termCount, termAspect, firstAspect: 1 },
    lists: isSeparated ? [0, 1, 2].map(list) : [list()],
    annotations: { start, term },
    termFrequency: Int32Array.from({ length: termCount }, (_, at) => term.filter((one) => one === at).length),
    sharing: { sequence, groups: groupReferences(sequence, Int32Array.from(sequence.keys()), 13) },
  };
}

describe('the scores of a runner', () => {
  it.each([
    ['one list for each aspect', true],
    ['one list for all', false],
  ])('come from knn as the transfer orders them, also equal ones: %s', async (_, isSeparated) => {
    let rows = 0;
    for (let seed = 0; seed < 30; seed++) {
      const transfer = randomTransfer(seed, isSeparated);
      const { candidates } = transferTerms(transfer);
      const { query, term, score, source } = candidates;
      rows += query.length;
      expect(await runnerScores(knn, { transfer, candidates }, running)).toEqual({
        ...{ query, term, score, source },
        candidate: Int32Array.from(query.keys()),
      });
    }
    expect(rows).toBeGreaterThan(500);
  });

  it('stop with the version that a job began with', async () => {
    const transfer = randomTransfer(1, true);
    const { candidates } = transferTerms(transfer);
    await expect(
      runnerScores({ ...knn, version: '0.0.9' }, { transfer, candidates }, running),
    ).rejects.toThrow(
      `The runner knn was replaced by its version ${version} while a prediction with 0.0.9 ran`,
    );
  });
});
