import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript
import { scalePlan } from './generate/scale-plan.mjs';

const file = (name: string) =>
  readFileSync(new URL(`../docs/explanation/${name}.md`, import.meta.url), 'utf8');
const [page, performance] = [file('scale'), file('performance')];
const plan = scalePlan as (page: string, performance: string) => string;
/** The cells of a row of the plan as numbers. */
const cells = (text: string, row: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`| ${row}`)) as string;
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => Number(cell.replaceAll(',', '')));
};

it('gives at the measured size what was measured, and grows in a straight line', () => {
  const [whole, tenth, aim] = cells(plan(page, performance), 'processor milliseconds a protein');
  const row = /^\| proteins that the reference knows \| 516,371 \| ([\d.]+) \|/m.exec(performance);
  expect(Math.abs(whole - Number(row?.[1]))).toBeLessThan(3);
  const slope = (tenth - whole) / (5_000_000 - 516_371);
  expect(Math.abs(aim / (whole + slope * 49_483_629) - 1)).toBeLessThan(0.01);
});

it('takes twice the processors for a search that costs twice as much', () => {
  const dearer = performance
    .replace('| 516,371 | 35.5 | 6.4 | 22.6 |', '| 516,371 | 64.5 | 12.8 | 45.2 |')
    .replace('| 19,724 | 13.0 | 0.7 | 4.6 |', '| 19,724 | 18.3 | 1.4 | 9.2 |');
  expect(dearer).not.toBe(performance);
  const [, , before] = cells(plan(page, performance), 'cores');
  const [, , after] = cells(plan(page, dearer), 'cores');
  expect(Math.abs(after / before - 2)).toBeLessThan(0.05);
});

it('fails if performance.md lacks a figure', () => {
  expect(() => plan(page, performance.replaceAll('516,371', '516,372'))).toThrow('has no longer');
});
