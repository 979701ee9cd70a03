// Measures the search for relatives by sequence: queries for each processor second beside DIAMOND, MMseqs2 and blastp, if they are
// installed, and the share of blastp's hits that each finds, by E-value.
//
//   node benchmarks/homology.bench.mjs [REFERENCES.fasta QUERIES.fasta] [--windows FOLDER] [--references N] [--queries N] [--targets 50]
//     [--plain] [--blastp] [--quick]
//
// Without files, the proteins of examples/ are used, with every tenth as a query; --windows names the folder of the data of
// training/combined, whose distinct proteins are the references instead. --references and --queries take so many, evenly from all. A query
// never finds itself. --plain adds the search in plain TypeScript; --blastp runs blastp (minutes), without which no shares are printed;
// --quick leaves out DIAMOND's other modes than very-sensitive.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { encodeResidues } from '@kindred/kernels/alignment';
import { buildSeedIndex, findRelatives } from '@kindred/kernels/homology';
import { createCandidateFinder, loadNative } from '@kindred/native';
import { files as windowFiles } from '../training/combined/windows.mjs';
import { keep } from './figures.mjs';

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    windows: { type: 'string' },
    references: { type: 'string' },
    queries: { type: 'string' },
    targets: { type: 'string', default: '50' },
    plain: { type: 'boolean', default: false },
    blastp: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
const classes = [0, 1e-20, 1e-10, 1e-6, 1e-3];
const maxTargets = Number(options.targets);

function readFasta(path) {
  const bytes = readFileSync(path);
  const text = (path.toString().endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .split('>')
    .slice(1)
    .map((record) => {
      const [name, ...lines] = record.split('\n');
      // MMseqs2 writes the accession of a header like sp|P04637|P53_HUMAN alone, so all programs get only that.
      const [first, accession] = name.split(' ')[0].trim().split('|');
      return { name: accession ?? first, text: lines.join('').trim() };
    });
}

/** Reads the proteins of the windows, each distinct sequence once. */
function readWindows(folder) {
  const records = Object.values(windowFiles.fasta).flatMap((name) => readFasta(join(folder, name)));
  return [...new Map(records.map((record) => [record.text, record])).values()];
}

/** Takes so many of a list, evenly from all of it; all without a number. */
function evenly(list, count) {
  const taken = Math.min(Number(count ?? list.length), list.length);
  return Array.from({ length: taken }, (_, at) => list[Math.floor((at * list.length) / taken)]);
}

const references = evenly(
  options.windows
    ? readWindows(options.windows)
    : readFasta(files[0] ?? new URL('../examples/reference.fasta.gz', import.meta.url)),
  options.references,
);
const queries = files[1]
  ? evenly(readFasta(files[1]), options.queries)
  : evenly(references, options.queries ?? Math.ceil(references.length / 10));
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
  if (use !== 'avxvnni' && (use !== 'plain' || options.plain))
    rows.push({ name: `Kindred, ${use}`, ...searchOurs(loadNative({ use })) });
if (options.plain) rows.push({ name: 'Kindred, plain TypeScript', ...searchOurs(null) });

if (timed('diamond', ['makedb', '--in', 'references.fasta', '-d', 'peer', '--quiet']) !== null)
  for (const mode of options.quick
    ? ['very-sensitive']
    : ['sensitive', 'very-sensitive', 'ultra-sensitive']) {
    const output = ['-o', 'hits.tsv', '-f', '6', 'qseqid', 'sseqid', 'evalue'];
    const limits = ['-e', '1e-3', '-k', String(maxTargets + 1), '-p', '1', '--quiet'];
    const args = ['blastp', `--${mode}`, '-q', 'queries.fasta', '-d', 'peer.dmnd', ...limits, ...output];
    const seconds = timed('diamond', args);
    rows.push({ name: `DIAMOND, ${mode}`, seconds, hits: readHits('hits.tsv') });
  }
const mmseqs = ['--threads', '1', '-s', '7.5', '-e', '1e-3', '--max-seqs', String(maxTargets + 1)];
const mmseqsFiles = ['queries.fasta', 'references.fasta', 'mmseqs.tsv', 'mmseqs-work'];
const columns = ['--format-output', 'query,target,evalue', '-v', '0'];
const mmseqsSeconds = timed('mmseqs', ['easy-search', ...mmseqsFiles, ...mmseqs, ...columns]);
if (mmseqsSeconds !== null)
  rows.push({ name: 'MMseqs2, -s 7.5', seconds: mmseqsSeconds, hits: readHits('mmseqs.tsv') });
let truth = null;
if (
  options.blastp &&
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
keepFigures();
rmSync(folder, { recursive: true });

/** Keeps the speed of each program, and the shares of blastp's hits of the searches beside that of DIAMOND's very sensitive mode. */
function keepFigures() {
  const of = { references: references.length, targets: maxTargets };
  const shareOf = ({ hits }) => [...truth.keys()].filter((pair) => hits.has(pair)).length / truth.size;
  const diamond = rows.find(({ name }) => name === 'DIAMOND, very-sensitive');
  for (const row of rows) {
    keep('queries a processor second', queries.length / row.seconds, { ...of, program: row.name });
    if (truth) keep("share of blastp's hits", shareOf(row), { ...of, program: row.name });
    if (truth && diamond && row.name.startsWith('Kindred'))
      keep("share of blastp's hits / DIAMOND", shareOf(row) / shareOf(diamond), {
        ...of,
        program: row.name,
      });
  }
}
