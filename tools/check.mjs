// npm run check: types first, then format, lint, import directions, unused code and generated files side by side. Every step runs.
// The rules of lint that need types take longer than all the rest: `npm run lint` has them, and `.ci/run` runs it.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, buildWeb } from './build.mjs';
import { checkFirstLoad } from './first-load.mjs';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a program of node_modules. */
const program = (name, ...args) => run(join(root, 'node_modules', '.bin', name), ...args);
/** Runs a script of this folder. */
const script = (name) => run(process.execPath, join(root, 'tools', name));

/** Runs a program in parallel with the other steps, and prints its whole output when it ends. */
const run = (file, ...args) =>
  new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.once('error', (error) => {
      console.error(error);
      resolve(false);
    });
    child.once('close', (status) => {
      if (status !== 0) process.stderr.write(output);
      resolve(status === 0);
    });
  });

/** The steps that need nothing but the sources. */
const sourceSteps = [
  { name: 'format (npm run format repairs it)', run: () => program('biome', 'format', '.') },
  { name: 'lint', run: () => program('oxlint', '--quiet', '.') },
  { name: 'who may import whom', run: () => script('walls.mjs') },
  { name: 'unused files, exports and dependencies', run: () => program('knip', '--no-progress') },
];

/** The steps that need the build: the types of the packages, the generators. */
const builtSteps = [
  { name: 'types of the tests', run: () => program('tsc', '-p', 'tsconfig.tests.json') },
  { name: 'types of the web client', run: () => program('tsc', '-p', 'apps/web') },
  { name: 'types of the benchmarks', run: () => program('tsc', '-p', 'tsconfig.benchmarks.json') },
  { name: 'generated files', run: generatedFiles },
  {
    name: 'bundle of the web client and its first load',
    run: async () => (await buildWeb(root)) && checkFirstLoad(root),
  },
];

async function generatedFiles() {
  const { staleFiles } = await import('./generate.mjs');
  const stale = await staleFiles();
  for (const path of stale) console.error(`${path} is out of date: run npm run gen`);
  return stale.length === 0;
}

/** Runs every step, and returns how many passed and failed. */
export async function check() {
  const counts = { passed: 0, failed: 0, failures: [] };
  const started = performance.now();
  const report = async ({ name, run }) => {
    let passed = false;
    try {
      passed = await run();
    } catch (error) {
      console.error(error);
    }
    counts[passed ? 'passed' : 'failed'] += 1;
    if (!passed) counts.failures.push(`npm run check: ${name}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
  };
  await report({ name: 'types', run: () => build(root) });
  await Promise.all([...builtSteps, ...sourceSteps].map(report));
  return counts;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await installDependencies(root, 'everything');
  const { failed } = await check();
  process.exit(failed > 0 ? 1 : 0);
}
