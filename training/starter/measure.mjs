// Measures the share of 1,000 random proteins of Swiss-Prot 2014-01 that get an answer, and how good it is, for
// docs/explanation/accuracy.md. The proteins are of all kingdoms, and the starter reference has none of their sequences.
//   node training/starter/measure.mjs WORK KINDRED [option of annotate ...]
// WORK is the folder of make.mjs, and KINDRED the command, which annotates with the default reference of its service. The truth is
// Swiss-Prot's annotations by any evidence.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');
const [work, kindred, ...options] = process.argv.slice(2);
if (kindred === undefined) throw new Error('usage: measure.mjs WORK KINDRED [option of annotate ...]');
const count = 1000;
const seed = 20140122;
const out = resolve(work, 'measured');
const databases = { MFO: 'F', BPO: 'P', CCO: 'C' };
const linesOf = (path) => readFileSync(join(work, path), 'latin1').split('\n').filter(Boolean);

/** Returns the accessions that the starter does not have, by sequence. */
function otherProteins() {
  const ours = ['organisms', 'families'].map((name) =>
    brotliDecompressSync(readFileSync(join(examples, 'starter', `${name}.fasta.br`))).toString(),
  );
  const taken = new Set(
    ours.flatMap((text) => text.split('\n').filter((line) => line !== '' && line[0] !== '>')),
  );
  const found = new Map();
  for (const name of Object.keys(databases))
    for (const line of linesOf(`swissprot-${name}.txt`)) {
      const sequence = line.slice(line.lastIndexOf(' ') + 1);
      if (!taken.has(sequence)) found.set(line.slice(0, line.indexOf('|')), sequence);
    }
  return found;
}

/** Returns `count` accessions, in the order of random numbers. */
function sample(proteins) {
  const random = new Random(seed);
  const numbered = [...proteins.keys()].sort().map((accession) => [random.float(), accession]);
  return numbered
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, accession]) => accession);
}

function writeTruth(chosen) {
  const folder = 'md/usr/share/metastudent-data/dataset_201401';
  const pairs = Object.keys(databases).flatMap((name) =>
    linesOf(`${folder}/${name}/goasp_annot.dat`).flatMap((line) => {
      const [accession, ...terms] = line.trim().split(/\s+/);
      return chosen.has(accession) ? [...new Set(terms)].map((term) => `${accession}\t${term}\n`) : [];
    }),
  );
  writeFileSync(join(out, 'truth.tsv'), pairs.join(''));
}

mkdirSync(join(out, 'predictions'), { recursive: true });
const proteins = otherProteins();
const chosen = sample(proteins);
writeTruth(new Set(chosen));
const queries = join(out, 'queries.fasta');
writeFileSync(queries, chosen.map((accession) => `>${accession}\n${proteins.get(accession)}\n`).join(''));
const show = { stdio: ['ignore', 'pipe', 2], maxBuffer: 1 << 28 };
const table = execFileSync(kindred, ['annotate', queries, '--quiet', ...options], show)
  .toString()
  .trimEnd()
  .split('\n');
const columns = table[0].split('\t');
const rows = table.slice(1).map((line) => {
  const cells = line.split('\t');
  return Object.fromEntries(columns.map((column, place) => [column, cells[place]]));
});
const predicted = rows.filter(({ kind }) => kind === 'predicted');
writeFileSync(
  join(out, 'predictions', 'answers.tsv'),
  predicted.map(({ protein, go_id, score }) => `${protein}\t${go_id}\t${score}\n`).join(''),
);
execFileSync(
  kindred,
  [
    'evaluate',
    '--obo',
    join(examples, 'go-basic-2022-07-01.obo.gz'),
    '--predictions',
    join(out, 'predictions'),
    '--ground-truth',
    join(out, 'truth.tsv'),
    '--out-dir',
    join(out, 'results'),
    '--no-orphans',
  ],
  { stdio: ['ignore', 2, 2] },
);
const answered = new Set(predicted.map(({ protein }) => protein)).size;
console.log(`${answered} of ${count} answered, ${predicted.length} terms`);
console.log(readFileSync(join(out, 'results', 'evaluation_best_f.tsv'), 'utf8'));
