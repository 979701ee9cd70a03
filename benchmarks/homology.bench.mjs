// Measures the search for relatives by sequence: queries for each processor second beside DIAMOND and blastp, if they are installed, and
// the share of blastp's hits that each finds, by E-value.
//
//   node benchmarks/homology.bench.mjs [REFERENCES.fasta QUERIES.fasta] [--plain] [--blastp]
//
// Without files, the proteins of examples/ are used, with every tenth as a query. A query never finds itself. --plain adds the search in
// plain TypeScript; --blastp runs blastp (minutes), without which no shares are printed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encodeResidues } from '@kindred/kernels/alignment';
import { buildSeedIndex, findRelatives } from '@kindred/kernels/homology';
import { createCandidateFinder, loadNative } from '@kindred/native';

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const classes = [0, 1e-20, 1e-10, 1e-6, 1e-3];
const maxTargets = 50;

function readFasta(path) {
  const bytes = readFileSync(path);
  const text = (path.toString().endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .split('>')
    .slice(1)
    .map((record) => {
      const [name, ...lines] = record.split('\n');
      return { name: name.split(' ')[0].trim(), text: lines.join('').trim() };
    });
}

const references = readFasta(files[0] ?? new URL('../examples/reference.fasta.gz', import.meta.url));
const queries = files[1] ? readFasta(files[1]) : references.filter((_, at) => at % 10 === 0);
const folder = mkdtempSync(join(tmpdir(), 'kindred-homology-'));
const fasta = (records) => records.map(({ name, text }) => `>${name}\n${text}\n`).join('');
writeFileSync(join(folder, 'references.fasta'), fasta(references));
writeFileSync(join(folder, 'queries.fasta'), fasta(queries));

function cpuSeconds(run) {
  const before = process.cpuUsage();
  const value = run();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, value };
}

/** Returns the processor seconds of a program, by the shell's own count. */
function timed(program, args) {
  const command = [program, ...args].map((part) => `'${part}'`).join(' ');
  const { status, stdout } = spawnSync(
    'bash',
    ['-c', `TIMEFORMAT='%U %S'; { time ${command} >&2; } 2> >(tail -n 1)`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (status !== 0) return null;
  return stdout
    .trim()
    .split(' ')
    .reduce((sum, part) => sum + Number(part), 0);
}

/** Reads the pairs of a table of hits: query, subject, E-value. */
function readHits(file) {
  const hits = new Map();
  for (const line of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')) {
    const [query, subject, e] = line.split('\t');
    const pair = `${query} ${subject}`;
    if (query !== subject && !hits.has(pair)) hits.set(pair, Number(e));
  }
  return hits;
}

function searchOurs(native) {
  const { seconds: building, value: index } = cpuSeconds(() =>
    buildSeedIndex(references.map(({ text }) => encodeResidues(text))),
  );
  const numberOf = new Map(references.map(({ name }, at) => [name, at]));
  const search = { index, finder: createCandidateFinder(index, native) };
  const hits = new Map();
  const { seconds } = cpuSeconds(() => {
    for (let from = 0; from < queries.length; from += 100) {
      const part = queries.slice(from, from + 100);
      const excluded = Int32Array.from(part, ({ name }) => numberOf.get(name) ?? -1);
      const codes = part.map(({ text }) => encodeResidues(text));
      const found = findRelatives(search, codes, { maxTargets, maxLogEValue: -3, excluded });
      found.query.forEach((query, at) => {
        hits.set(`${part[query].name} ${references[found.sequence[at]].name}`, 10 ** found.logEValue[at]);
      });
    }
  });
  return { building, seconds, hits };
}

const rows = [];
for (const use of loadNative()?.available ?? [])
  if (use !== 'avxvnni' && (use !== 'plain' || options.includes('--plain')))
    rows.push({ name: `Kindred, ${use}`, ...searchOurs(loadNative({ use })) });
if (options.includes('--plain')) rows.push({ name: 'Kindred, plain TypeScript', ...searchOurs(null) });

if (timed('diamond', ['makedb', '--in', 'references.fasta', '-d', 'peer', '--quiet']) !== null)
  for (const mode of ['sensitive', 'very-sensitive', 'ultra-sensitive']) {
    const output = ['-o', 'hits.tsv', '-f', '6', 'qseqid', 'sseqid', 'evalue'];
    const limits = ['-e', '1e-3', '-k', String(maxTargets + 1), '-p', '1', '--quiet'];
    const args = ['blastp', `--${mode}`, '-q', 'queries.fasta', '-d', 'peer.dmnd', ...limits, ...output];
    const seconds = timed('diamond', args);
    rows.push({ name: `DIAMOND, ${mode}`, seconds, hits: readHits('hits.tsv') });
  }
let truth = null;
if (
  options.includes('--blastp') &&
  timed('makeblastdb', ['-in', 'references.fasta', '-dbtype', 'prot', '-out', 'b']) !== null
) {
  const limits = ['-evalue', '1e-3', '-max_target_seqs', String(maxTargets + 1), '-num_threads', '1'];
  const output = ['-outfmt', '6 qseqid sseqid evalue', '-out', 'blastp.tsv'];
  const seconds = timed('blastp', ['-query', 'queries.fasta', '-db', 'b', ...limits, ...output]);
  truth = readHits('blastp.tsv');
  rows.push({ name: 'blastp', seconds, hits: truth });
}
const residues = references.reduce((sum, { text }) => sum + text.length, 0);
console.log(
  `${queries.length} queries, ${references.length} references, ${residues} residues, ${maxTargets} relatives each`,
);
for (const { name, building, seconds, hits } of rows) {
  const shares = classes.slice(1).map((to, at) => {
    const wanted = [...(truth ?? [])].filter(([, e]) => e >= classes[at] && e < to);
    return wanted.length === 0
      ? ''
      : (wanted.filter(([pair]) => hits.has(pair)).length / wanted.length).toFixed(3);
  });
  const built = building === undefined ? '' : `index ${building.toFixed(1)} s`;
  const speed = (queries.length / seconds).toFixed(1).padStart(8);
  console.log(
    `  ${name.padEnd(26)} ${speed} queries per CPU-second, ${hits.size} hits ${shares.join(' ')} ${built}`,
  );
}
rmSync(folder, { recursive: true });
