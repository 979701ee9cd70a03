// Compares the default method beside the starter reference with the methods of LAFA (CAFA forever) on its window of November to December
// 2025, for docs/explanation/accuracy.md.
//   node training/starter/lafa.mjs SHARED WORK KINDRED [--write] [option of annotate ...]
// SHARED is the folder of shared data, WORK one for files between, and KINDRED the command, which annotates with the default reference of
// its service. The truth and the figures of the other methods are LAFA's; --write puts the table into the page.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { examples } from './sample.mjs';

const [shared, folder, kindred, ...given] = process.argv.slice(2);
if (kindred === undefined)
  throw new Error('usage: lafa.mjs SHARED WORK KINDRED [--write] [option of annotate ...]');
const options = given.filter((option) => option !== '--write');
const lafa = join(shared, 'data', 'lafa-2025-11_2025-12');
const work = resolve(folder);
const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const categories = ['NK', 'LK', 'PK'];
const aspects = {
  biological_process: 'process',
  molecular_function: 'function',
  cellular_component: 'component',
};
const resamples = 1000;

const text = (name) => {
  const bytes = readFileSync(join(lafa, name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};
/** Rows of a table with a head, by the names of its columns. */
function rowsOf(table) {
  const [head, ...lines] = table.trimEnd().split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(columns.map((column, place) => [column, cells[place]]));
  });
}
const pairs = (name) =>
  rowsOf(text(name))
    .map(({ EntryID, term }) => `${EntryID}\t${term}\n`)
    .join('');

/** Annotates the targets, and writes every term with its score. */
function predict() {
  mkdirSync(join(work, 'predictions'), { recursive: true });
  const queries = join(work, 'targets.fasta');
  writeFileSync(queries, text('targets_swissprot_2014-01.fasta.gz'));
  const show = { stdio: ['ignore', 'pipe', 2], maxBuffer: 1 << 30 };
  const table = execFileSync(kindred, ['annotate', queries, '--quiet', '--all', ...options], show);
  const rows = rowsOf(table.toString());
  writeFileSync(
    join(work, 'predictions', 'kindred.tsv'),
    rows
      .filter(({ kind }) => kind === 'predicted')
      .map(({ protein, go_id, score }) => `${protein}\t${go_id}\t${score}\n`)
      .join(''),
  );
  const ofKind = (kind) =>
    new Set(rows.filter((row) => row.kind === kind).map(({ protein }) => protein)).size;
  console.log(
    `${ofKind('predicted')} answered, ${ofKind('known')} known to the reference, ${ofKind('no_answer')} not answered`,
  );
}

/** Fmax with its interval by aspect, of the predictions against one category. */
function evaluated(category) {
  const truth = join(work, `truth_${category}.tsv`);
  const results = join(work, `results_${category}`);
  const interest = join(work, 'terms_of_interest.txt');
  writeFileSync(truth, pairs(`groundtruth_${category}.tsv.gz`));
  writeFileSync(interest, text('groundtruth_terms_of_interest.txt.gz'));
  const known = join(work, 'known.tsv');
  if (category === 'PK') writeFileSync(known, pairs('groundtruth_PK_known.tsv.gz'));
  execFileSync(
    kindred,
    [
      ...['evaluate', '--obo', join(examples, 'go-basic-2022-07-01.obo.gz'), '--no-orphans'],
      ...['--predictions', join(work, 'predictions'), '--ground-truth', truth, '--toi', interest],
      ...(category === 'PK' ? ['--known', known] : []),
      ...['--bootstrap', String(resamples), '--out-dir', results],
    ],
    { stdio: ['ignore', 2, 2] },
  );
  const intervals = rowsOf(readFileSync(join(results, 'evaluation_intervals.tsv'), 'utf8'));
  return intervals.filter(({ figure }) => figure === 'fmax');
}

const names = new Map(
  rowsOf(text('method_names.tsv')).map(({ filename, label }) => [filename.trim(), label.trim()]),
);
const cells = categories.flatMap((category) => Object.keys(aspects).map((aspect) => ({ category, aspect })));
const theirs = new Map(
  categories.flatMap((category) =>
    rowsOf(text(`evaluation_best_f_${category}.tsv`)).map(({ filename, ns, f }) => [
      `${filename} ${category} ${ns}`,
      Number(f),
    ]),
  ),
);
const number = (value) => value.toFixed(3);
const mean = (values) => number(values.reduce((sum, value) => sum + value, 0) / values.length);
const line = (...texts) => `| ${texts.join(' | ')} |`;

predict();
const ours = new Map(
  categories.flatMap((category) => evaluated(category).map((row) => [`${category} ${row.ns}`, row])),
);
const proteins = new Map(
  cells.map(({ category, aspect }) => {
    const letter = { biological_process: 'P', molecular_function: 'F', cellular_component: 'C' }[aspect];
    const rows = rowsOf(text(`groundtruth_${category}.tsv.gz`)).filter((row) => row.aspect.trim() === letter);
    return [`${category} ${aspect}`, new Set(rows.map(({ EntryID }) => EntryID)).size];
  }),
);
const table = [
  line(
    'Fmax',
    ...cells.map(
      ({ category, aspect }) => `${category} ${aspects[aspect]} (${proteins.get(`${category} ${aspect}`)})`,
    ),
    'mean',
  ),
  line('---', ...cells.map(() => '---'), '---'),
  ...[...names].map(([file, label]) => {
    const found = cells.map(({ category, aspect }) => theirs.get(`${file} ${category} ${aspect}`) ?? 0);
    return line(label, ...found.map(number), mean(found));
  }),
  line(
    '**Kindred**, starter reference',
    ...cells.map(({ category, aspect }) => {
      const { estimate, low, high } = ours.get(`${category} ${aspect}`);
      return `${number(Number(estimate))} (${Number(low).toFixed(2)}-${Number(high).toFixed(2)})`;
    }),
    mean(cells.map(({ category, aspect }) => Number(ours.get(`${category} ${aspect}`).estimate))),
  ),
].join('\n');
console.log(table);
if (given.includes('--write')) {
  const begin = '<!-- lafa: made by training/starter/lafa.mjs -->';
  const end = '<!-- lafa: end -->';
  const page = readFileSync(accuracyPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`);
}
