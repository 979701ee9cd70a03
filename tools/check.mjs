// npm run check: types, format, lint, import directions, sizes, generated files. Every step runs, whatever the others say.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, buildWeb } from './build.mjs';
import { checkSizes } from './check-sizes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** As in `npm run walls`. */
const wallsOf = ['--config', '--output-type', 'err-long', 'packages', 'plugins', 'apps', 'tools'];

const program = (name, ...args) => {
  const { status } = spawnSync(join(root, 'node_modules', '.bin', name), args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
};

const steps = [
  { name: 'types', run: () => build(root) },
  { name: 'types of the tests', run: () => program('tsc', '-p', 'tsconfig.tests.json') },
  { name: 'web client', run: () => buildWeb(root) },
  { name: 'format (npm run format repairs it)', run: () => program('biome', 'format', '.') },
  { name: 'lint', run: () => program('oxlint', '--quiet', '.') },
  { name: 'who may import whom', run: () => program('depcruise', ...wallsOf) },
  { name: 'sizes of files', run: () => checkSizes(root) === 0 },
  { name: 'generated files', run: generatedFiles },
];

async function generatedFiles() {
  const { staleFiles } = await import('./generate.mjs');
  const stale = await staleFiles();
  for (const path of stale) console.error(`${path} is out of date: run npm run gen`);
  return stale.length === 0;
}

/** Runs every step; returns how many passed and failed. */
export async function check() {
  const counts = { passed: 0, failed: 0, failures: [] };
  for (const { name, run } of steps) {
    let passed = false;
    try {
      passed = await run();
    } catch (error) {
      console.error(error);
    }
    counts[passed ? 'passed' : 'failed'] += 1;
    if (!passed) counts.failures.push(`npm run check: ${name}`);
    console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  }
  return counts;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { failed } = await check();
  process.exit(failed > 0 ? 1 : 0);
}
