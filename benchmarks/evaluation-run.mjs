// Runs `kindred evaluate` on a case of evaluation-case.mjs as a process of its own, and measures it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const kindred = new URL('../apps/server/dist/cli/evaluate.js', import.meta.url).href;

const program = `
process.on('exit', () => {
  const used = process.resourceUsage();
  console.error('USED', (used.userCPUTime + used.systemCPUTime) / 1e6, used.maxRSS / 1024);
});
const { evaluateCommand } = await import(${JSON.stringify(kindred)});
await evaluateCommand().parseAsync(process.argv.slice(1), { from: 'user' });`;

/**
 * Runs a program whose last line is USED <CPU seconds> <peak MiB>.
 * @returns {Promise<{ cpu: number; peak: number; wall: number }>}
 */
export function measure(executable, args) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (chunk) => (text = (text + chunk).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => {
      const used = /USED (\S+) (\S+)/.exec(text);
      if (code !== 0 || !used) reject(new Error(`${executable} ended with ${code}: ${text}`));
      else resolve({ cpu: Number(used[1]), peak: Number(used[2]), wall: (performance.now() - start) / 1000 });
    });
  });
}

/** Evaluates the case of a folder with information accretion; the tables go to `outDir`. */
export function measureEvaluation(folder, { step, outDir }) {
  const flags = [
    ['--obo', join(folder, 'ontology.obo')],
    ['--predictions', join(folder, 'predictions')],
    ['--ground-truth', join(folder, 'ground_truth.tsv')],
    ['--ia', join(folder, 'ia.tsv')],
    ['--th-step', step],
    ['--compat', 'upstream'],
    ['--out-dir', outDir],
  ];
  return measure(process.execPath, ['--input-type=module', '-e', program, '--', ...flags.flat()]);
}
