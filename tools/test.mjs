// Installs what is missing, builds, checks, and runs the tests of a day: npm test. `npm test -- <vitest arguments>` runs only the tests
// that they name, of any project: `.ci/run` and `.ci/nightly` run the others (the table in CONTRIBUTING.md).
import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
await installDependencies(root, 'everything');
const { build } = await import('./build.mjs');
const { check } = await import('./check.mjs');
const { runVitest } = await import('./run-vitest.mjs');

const given = process.argv.slice(2);
const daily = ['--project', 'together', '--project', 'alone'];
const checks = given.length === 0 ? await check() : await buildOnly();
const tests = runVitest(root, given.length === 0 ? daily : given);
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
const failures = [...checks.failures, ...tests.failures];
const lines = [
  ...failures.map((failure) => `FAILED  ${failure}`),
  ...tests.unsteady.map((failure) => `UNSTEADY (it passed when run again)  ${failure}`),
];
for (const line of lines) console.log(line);
// The counts are for callers that add up several runs and repeat all failures at the end.
if (process.env.KINDRED_COUNTS)
  appendFileSync(process.env.KINDRED_COUNTS, `${passed} ${failed} ${tests.skipped}\n`);
if (process.env.KINDRED_FAILURES)
  appendFileSync(process.env.KINDRED_FAILURES, lines.map((line) => `${line}\n`).join(''));
if (tests.skipped > 0) console.log(`${tests.skipped} skipped (the lines above say what they need)`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function buildOnly() {
  return (await build(root))
    ? { passed: 0, failed: 0, failures: [] }
    : { passed: 0, failed: 1, failures: ['the build'] };
}
