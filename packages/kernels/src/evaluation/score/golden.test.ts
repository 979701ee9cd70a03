import { join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { bytesOf, predictionsIn, runCase, type TestCase } from '../testing/cases.js';
import { expectSamePrinted, linesOf } from '../testing/tables.js';
import { bestTable, publishedBestMetrics } from '../publish/tables.js';

const folder = sharedData('data', 'ecoli-k12');
const ontology = sharedData('data', 'ontology', 'go-2022-07-01.obo.gz');

describe.skipIf(!folder || !ontology)('the partial-knowledge program on E. coli predictions', () => {
  it.each(['NK', 'LK', 'PK'])('%s: every printed cell', (category) => {
    const golden = join(folder!, 'golden');
    const test: TestCase = {
      obo: bytesOf(ontology!),
      truth: bytesOf(join(folder!, 'expected', `truth_${category}.tsv`)),
      predictions: predictionsIn(join(golden, 'predictions')),
      ia: bytesOf(join(golden, 'IA.tsv.gz')),
      known: category === 'PK' ? bytesOf(join(folder!, 'expected', 'known_t0.tsv')) : undefined,
      noOrphans: true,
      compatibility: 'partial-knowledge',
    };
    const methods = runCase(test);
    const results = join(golden, `results_${category}`);
    const expected = linesOf(join(results, 'evaluation_all.tsv.gz'));
    const cells = expectSamePrinted(methods, true, { expected, decimals: 3 });
    expect(cells).toBe((expected.length - 1) * expected[0].split('\t').length);
    for (const metric of publishedBestMetrics) {
      const best = [...bestTable(methods, metric, true, { decimals: 3 })];
      expect(best).toEqual(linesOf(join(results, `evaluation_best_${metric}.tsv`)));
    }
  });
});
