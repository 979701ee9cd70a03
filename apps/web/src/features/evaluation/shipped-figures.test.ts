import { describe, expect, it } from 'vitest';
import figures from '../../../../../models/combined/figures.json';
import measured from './measured.generated.json';
import { figureColumns, shippedDifferences, shippedTests } from './shipped-figures.js';

describe('the shipped figures with their intervals', () => {
  it('are those of the tables: tests, cells, methods and Fmax', () => {
    expect(figures.figures).toEqual(figureColumns.map(({ key }) => key));
    expect(figures.tests.map(({ title }) => title)).toEqual(measured.tests.map(({ title }) => title));
    figures.tests.forEach(({ columns, methods }, at) => {
      expect(columns).toEqual(measured.tests[at]?.columns);
      expect(methods.map(({ name }) => name)).toEqual(measured.tests[at]?.methods.map(({ name }) => name));
      for (const [row, { cells }] of methods.entries())
        expect(cells.map(([fmax]) => fmax?.[0])).toEqual(
          measured.tests[at]?.methods[row]?.figures.map(({ value }) => value),
        );
    });
  });

  it('are within their intervals, and coverage is a share', () => {
    for (const { methods } of shippedTests)
      for (const { cells } of methods)
        for (const cell of cells) {
          expect(cell).toHaveLength(figureColumns.length);
          for (const figure of cell) {
            if (figure === null) continue;
            const [value, low, high] = figure;
            expect(low <= value && value <= high).toBe(true);
          }
          expect(cell[3]?.[2] ?? 0).toBeLessThanOrEqual(1);
        }
  });

  it('say of each method whether the combination is above it, as the tables do', () => {
    for (const { title, methods } of measured.tests)
      for (const { name, figures: marks } of methods) {
        if (name === 'combined') continue;
        const differences = shippedDifferences(title, 'combined', name);
        marks.forEach((mark, cell) => {
          const [, low = 0, high = 0] = differences?.[cell]?.[0] ?? [];
          const found = low > 0 ? 'above' : high < 0 ? 'below' : 'neither';
          const said = 'combination' in mark ? mark.combination : undefined;
          // A bound that three decimals round to 0 does not say on which side of 0 it is; the table was made from more decimals.
          if (low !== 0 && high !== 0) expect([name, cell, found]).toEqual([name, cell, said]);
        });
      }
  });

  it('turn a difference around when the methods change places', () => {
    const title = shippedTests[0]?.title ?? '';
    const [one, other] = [
      shippedDifferences(title, 'combined', 'naive'),
      shippedDifferences(title, 'naive', 'combined'),
    ].map((cells) => cells?.[0]?.[0]);
    expect(other?.map((value) => -value)).toEqual([one?.[0], one?.[2], one?.[1]]);
    expect(shippedDifferences(title, 'naive', 'naive')).toBeUndefined();
  });
});
