// Measures `kindred evaluate` on a GO-sized case at two threshold steps, beside the published evaluator in the same run if
// CAFAEVAL_PYTHON names a Python that has it (`pip install cafaeval`, in a separate environment). CPU seconds are user and system time of
// the whole process, memory is its peak resident set; both include starting up and reading.
//   npx tsc -b && node benchmarks/evaluation.bench.mjs [proteins=10000] [predictions=2000000]
//   CAFAEVAL_STEPS=0.01,0.001 also runs the published program at the finer step (many minutes)
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCase } from './evaluation-case.mjs';
import { measure, measureEvaluation } from './evaluation-run.mjs';
import { keep } from './figures.mjs';

const [proteins = 10_000, predictions = 2_000_000] = process.argv.slice(2).map(Number);
const python = process.env.CAFAEVAL_PYTHON;
const publishedSteps = (process.env.CAFAEVAL_STEPS ?? '0.01').split(',');
const steps = ['0.01', '0.001'];

const publishedRun = `
import resource, sys
from cafaeval.__main__ import command_line
sys.argv = ['cafaeval'] + sys.argv[1:]
command_line()
used = resource.getrusage(resource.RUSAGE_SELF)
print('USED', used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)`;

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
    const runs = [];
    for (let i = 0; i < 3; i++)
      runs.push(await measureEvaluation(folder, { step, outDir: at(`ours-${step}`) }));
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
