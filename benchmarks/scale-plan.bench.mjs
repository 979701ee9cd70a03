// Checks that the plan of docs/explanation/scale.md is what the measured costs of performance.md give, and counts the pictures of
// performance.md, which show how cost grows.
//
//   node benchmarks/scale-plan.bench.mjs
import { readFileSync } from 'node:fs';
import { scalePlan } from '../tools/generate/scale-plan.mjs';
import { keep } from './figures.mjs';

const [plan, performance] = ['scale', 'performance'].map((name) =>
  readFileSync(new URL(`../docs/explanation/${name}.md`, import.meta.url), 'utf8'),
);
const fresh = scalePlan(plan, performance).split('\n');
const written = plan.split('\n');
const different = fresh.filter((line, at) => line !== written[at]);
for (const line of different) console.log(`by the measured costs: ${line}`);
const pictures = performance.match(/!\[[^\]]*\]\([^)]+\)/g)?.length ?? 0;
keep('lines of the plan that differ', different.length);
keep('pictures', pictures);
console.log(
  `${different.length} of ${written.length} lines of the plan differ from the measured costs; performance.md has ${pictures} pictures`,
);
process.exitCode = different.length > 0 ? 1 : 0;
