// Measures `kindred evaluate` on a GO-sized case at two threshold steps, beside the published evaluator in the same run if
// CAFAEVAL_PYTHON names a Python that has it (`pip install cafaeval`, in a separate environment). CPU seconds are user and system time of
// the whole process, memory is its peak resident set; both include starting up and reading.
//   npx tsc -b && node benchmarks/evaluation.bench.mjs [proteins=10000] [predictions=2000000]
//   CAFAEVAL_STEPS=0.01,0.001 also runs the published program at the finer step (many minutes)
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCase } from './evaluation-case.mjs';
import { keep } from './figures.mjs';

const [proteins = 10_000, predictions = 2_000_000] = process.argv.slice(2).map(Number);
const python = process.env.CAFAEVAL_PYTHON;
const publishedSteps = (process.env.CAFAEVAL_STEPS ?? '0.01').split(',');
const steps = ['0.01', '0.001'];
const kindred = new URL('../apps/server/dist/cli/evaluate.js', import.meta.url).href;

const ourRun = `
process.on('exit', () => {
  const used = process.resourceUsage();
  console.error('USED', (used.userCPUTime + used.systemCPUTime) / 1e6, used.maxRSS / 1024);
});
const { evaluateCommand } = await import(${JSON.stringify(kindred)});
await evaluateCommand().parseAsync(process.argv.slice(1), { from: 'user' });`;
const publishedRun = `
import resource, sys
from cafaeval.__main__ import command_line
sys.argv = ['cafaeval'] + sys.argv[1:]
command_line()
used = resource.getrusage(resource.RUSAGE_SELF)
print('USED', used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)`;

/** Runs a program whose last line is USED <CPU seconds> <peak MiB>. */
function measure(program, args) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (chunk) => (text = (text + chunk).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => {
      const used = /USED (\S+) (\S+)/.exec(text);
      if (code !== 0 || !used) reject(new Error(`${program} ended with ${code}: ${text}`));
      else resolve({ cpu: Number(used[1]), peak: Number(used[2]), wall: (performance.now() - start) / 1000 });
    });
  });
}

/** Returns the rows of the rounded table by key; cells stay text. */
function tableOf(folder) {
  const rows = readFileSync(join(folder, 'evaluation_all.tsv'), 'utf8').trimEnd().split('\n');
  return new Map(rows.map((row) => [row.split('\t').slice(0, 3).join(' '), row]));
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-evaluation-'));
const at = (...parts) => join(folder, ...parts);
const show = (name, { cpu, peak, wall }) =>
  console.log(
    `${name.padEnd(28)} ${cpu.toFixed(2).padStart(9)} CPU s ${peak.toFixed(0).padStart(7)} MiB ${wall.toFixed(1).padStart(8)} s`,
  );
try {
  await writeCase(folder, { proteins, predictions });
  console.log(
    `${proteins} proteins, ${predictions} predictions, the Gene Ontology, information accretion; one thread`,
  );
  for (const step of steps) {
    const flags = [
      '--obo',
      at('ontology.obo'),
      '--predictions',
      at('predictions'),
      '--ground-truth',
      at('ground_truth.tsv'),
      '--ia',
      at('ia.tsv'),
    ];
    const options = ['--th-step', step, '--compat', 'upstream', '--out-dir', at(`ours-${step}`)];
    const runs = [];
    for (let i = 0; i < 3; i++)
      runs.push(
        await measure(process.execPath, ['--input-type=module', '-e', ourRun, '--', ...flags, ...options]),
      );
    const ours = runs.sort((a, b) => a.cpu - b.cpu)[1];
    show(`kindred evaluate, step ${step}`, ours);
    keep('MiB', ours.peak, { predictions, step });
    keep('processor seconds', ours.cpu, { predictions, step });
    if (!python || !publishedSteps.includes(step)) continue;
    const theirFlags = [at('ontology.obo'), at('predictions'), at('ground_truth.tsv'), '-ia', at('ia.tsv')];
    const theirOptions = ['-th_step', step, '-threads', '1', '-out_dir', at(`theirs-${step}`)];
    const theirs = await measure(python, ['-c', publishedRun, ...theirFlags, ...theirOptions]);
    show(`cafaeval, step ${step}`, theirs);
    const [mine, published] = [tableOf(at(`ours-${step}`)), tableOf(at(`theirs-${step}`))];
    const same = [...published].filter(([key, row]) => mine.get(key) === row).length;
    keep('times cafaeval', theirs.cpu / ours.cpu, { predictions, step });
    console.log(
      `ratio: ${(theirs.cpu / ours.cpu).toFixed(0)} times fewer CPU seconds, ${(theirs.peak / ours.peak).toFixed(0)} times less memory; ${same} of ${published.size} rows are printed alike`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
