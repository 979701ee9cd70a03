import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metricNames } from './metrics.js';
import { columnOf, listedThresholds } from './best-threshold.js';
import { runCase } from '../testing/cases.js';
import { asFiles, simpleCases } from '../testing/random-cases.js';
import { evaluateSimply } from '../testing/reference-evaluator.js';

describe('the kernel and the definition written out', () => {
  it('agree on random cases, whatever the options', () => {
    let rowsSeen = 0;
    const names = [...metricNames, ...metricNames.map((name) => `${name}_w`)];
    fc.assert(
      fc.property(simpleCases, (test) => {
        const [evaluation] = runCase(asFiles(test))[0].namespaces;
        const expected = evaluateSimply(test);
        const listed = evaluation ? listedThresholds(evaluation) : [];
        expect(listed.map((k) => evaluation.tau[k])).toEqual(expected.map((row) => row.tau));
        listed.forEach((k, i) => {
          rowsSeen++;
          for (const name of names) {
            const [found, wanted] = [columnOf(evaluation, name)![k], expected[i][name]];
            if (!Object.is(found, wanted) && !(Math.abs(found - wanted) < 1e-12 * (1 + Math.abs(wanted)))) {
              expect.fail(`tau ${expected[i].tau} ${name}: ${found} where ${wanted} is expected`);
            }
          }
        });
      }),
      { numRuns: 1500 },
    );
    expect(rowsSeen).toBeGreaterThan(1000);
  });
});
