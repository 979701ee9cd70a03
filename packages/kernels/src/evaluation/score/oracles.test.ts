import { join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { bytesOf, predictionsIn, runCase, type TestCase } from '../testing/cases.js';
import { expectSamePrinted, expectSameTable, linesOf } from '../testing/tables.js';
import type { Compatibility } from '../options.js';
import { allTable, bestTable, type MethodEvaluation, publishedBestMetrics } from '../publish/tables.js';
import { tableDecimals } from '../publish/number-format.js';
import { thresholdGrid } from './thresholds.js';

const folder = sharedData('oracles', 'cafa', 'small');

/** Makes the case with the options of one line of COMMANDS.tsv. */
function caseOf(root: string, program: string, command: string): TestCase {
  const words = command.split(' ');
  const after = (flag: string): string | undefined => {
    const at = words.indexOf(flag);
    return at < 0 ? undefined : words[at + 1];
  };
  const file = (name: string | undefined): Uint8Array | undefined =>
    name ? bytesOf(join(root, name)) : undefined;
  return {
    obo: bytesOf(join(root, words[1])),
    predictions: predictionsIn(join(root, words[2])),
    truth: bytesOf(join(root, words[3])),
    ia: file(after('-ia')),
    known: file(after('-known')),
    toi: file(after('-toi')),
    thresholdStep: Number(after('-th_step') ?? 0.01),
    propagation: (after('-prop') ?? 'max') as 'max',
    normalisation: (after('-norm') ?? 'cafa') as 'cafa',
    noOrphans: words.includes('-no_orphans'),
    maxTerms: after('-max_terms') === undefined ? undefined : Number(after('-max_terms')),
    compatibility: (program === 'pk' ? 'partial-knowledge' : 'upstream') as Compatibility,
  };
}

function expectSameBest(methods: MethodEvaluation[], root: string, step: number, weighted: boolean): void {
  for (const metric of publishedBestMetrics) {
    if (metric.endsWith('_w') && !weighted) continue;
    const found = [...bestTable(methods, metric, weighted, { decimals: tableDecimals(step) })];
    const expected = linesOf(join(root, `evaluation_best_${metric}.tsv`));
    expect(found.length).toBe(expected.length);
    found.forEach((line, i) => {
      if (line === expected[i]) return;
      // If two thresholds are equal up to rounding, either row may be chosen, but the metric itself must agree.
      const column = found[0].split('\t').indexOf(metric);
      const [mine, theirs] = [line.split('\t'), expected[i].split('\t')];
      expect(mine.slice(0, 2)).toEqual(theirs.slice(0, 2));
      expect([mine[column], mine.at(-1)]).toEqual([theirs[column], theirs.at(-1)]);
      expect(`${metric} ${mine[0]} ${mine[1]}`).toBe('f_micro group1_method_b.tsv molecular_function');
    });
  }
}

describe.skipIf(!folder)('published evaluators on the small case', () => {
  const root = folder ?? '';
  const commands = folder
    ? linesOf(join(root, 'expected', 'COMMANDS.tsv'))
        .slice(1)
        .map((line) => line.split('\t'))
    : [];

  it.each(commands)('%s (%s): every cell, 1e-9', (set, program, command) => {
    const test = caseOf(root, program, command);
    const step = test.thresholdStep!;
    const methods = runCase(test);
    const weighted = test.ia !== undefined;
    const expected = join(root, 'expected', set);
    const full = linesOf(join(expected, 'evaluation_all.full.tsv'));
    const cells = expectSameTable([...allTable(methods, weighted, 'shortest')], full);
    expect(cells).toBe((full.length - 1) * full[0].split('\t').length);
    const decimals = tableDecimals(step);
    const rounded = linesOf(join(expected, 'evaluation_all.tsv'));
    expectSamePrinted(methods, weighted, { expected: rounded, decimals });
    expectSameBest(methods, expected, step, weighted);
  });

  it('known terms that leave nothing to find: the default counts coverage over proteins with something left', () => {
    const command = commands.find(([set]) => set === 'pk_known_full_ia')!;
    const test = { ...caseOf(root, command[1], command[2]), compatibility: 'corrected' as const };
    const expected = linesOf(join(root, 'expected', 'pk_known_full_ia', 'corrected_coverage.full.tsv'));
    expectSameTable([...allTable(runCase(test), true, 'shortest')], expected);
  });

  it('an ontology that states links twice gives the same tables', () => {
    const command = commands.find(([set]) => set === 'ia')!;
    const test = {
      ...caseOf(root, command[1], command[2]),
      obo: bytesOf(join(root, 'ontology_dup_edges.obo')),
    };
    const expected = linesOf(join(root, 'expected', 'ia', 'evaluation_all.full.tsv'));
    expectSameTable([...allTable(runCase(test), true, 'shortest')], expected);
  });

  it('thresholds are the published doubles, bit by bit', () => {
    const rows = linesOf(join(root, 'tau_grid.tsv'))
      .slice(1)
      .map((line) => line.split('\t'));
    const steps = new Set(rows.map(([step]) => step));
    expect(steps.size).toBeGreaterThan(2);
    for (const step of steps) {
      const entries = rows.filter(([of]) => of === step);
      const taus = thresholdGrid(Number(step));
      expect(taus.length).toBe(entries.length);
      for (const [, k, , exact] of entries) expect(Object.is(taus[Number(k)], Number(exact))).toBe(true);
    }
  });
});
