// Measures the share of random proteins of Swiss-Prot 2014-01 that get an answer, and how good it is, for docs/explanation/accuracy.md. The
// proteins are of all kingdoms, and the starter reference has none of their sequences.
//   node training/starter/measure.mjs WORK KINDRED [--write]
// WORK is the folder of make.mjs and references.mjs, and KINDRED the command, whose service has the starter reference and those of
// references.mjs, built under the names of their folders. --write puts the tables into the page. The truth is Swiss-Prot's annotations by
// any evidence. Answers that are in WORK/measured already are measured again, not asked for again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { graph } from './rows.mjs';
import { examples, otherProteins, sample, termsOf, tests } from './sample.mjs';
import { plainShares } from './shares.mjs';

const [work, kindred, option] = process.argv.slice(2);
if (kindred === undefined) throw new Error('usage: measure.mjs WORK KINDRED [--write]');
const out = resolve(work, 'measured');
const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const aspects = { P: 'biological_process', F: 'molecular_function', C: 'cellular_component' };
const words = ['strong', 'likely', 'possible', 'weak', ''];
/** A class of fewer calls is listed, and not judged. */
const leastCalls = 300;
const mostError = 0.05;
/** The references by the name they are built under, with their name in the tables and the shares that they are compared with. */
const references = {
  'seven-organisms-and-families': { title: 'the starter', shares: 'share' },
  clusters: { title: 'the starter without 90 % clusters', shares: 'share-clusters' },
  electronic: { title: 'electronic', shares: 'share' },
  'electronic-named': { title: 'electronic, by a named method', shares: 'share' },
  'electronic-clusters': { title: 'electronic without 90 % clusters', shares: 'share-clusters' },
};

const proteins = otherProteins(work);
const closure = graph.ancestorClosure();

/** The terms of a protein with all that they imply, as GO ids. */
function implied(terms) {
  const all = new Set();
  for (const id of terms) {
    const term = graph.liveIndexOf(id);
    if (term >= 0)
      for (let at = closure.start[term]; at < closure.start[term + 1]; at++)
        all.add(graph.termIds[closure.terms[at]]);
  }
  return all;
}

/** Annotates the proteins of a test with a reference, and returns the predicted rows. */
function answersOf(test, reference) {
  const table = join(out, `${reference}.${test}.tsv`);
  if (!existsSync(table)) {
    const options = ['--quiet', '--reference', reference];
    const show = { stdio: ['ignore', 'pipe', 2], maxBuffer: 1 << 28 };
    writeFileSync(table, execFileSync(kindred, ['annotate', join(out, `${test}.fasta`), ...options], show));
  }
  const [head, ...lines] = readFileSync(table, 'utf8').trimEnd().split('\n');
  const columns = head.split('\t');
  return lines
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(columns.map((column, place) => [column, cells[place]]));
    })
    .filter(({ kind }) => kind === 'predicted');
}

/** Compares files of predictions with the truth, and returns Fmax by file and aspect. */
function evaluated(folder) {
  const of = (name) => join(folder, name);
  const obo = join(examples, 'go-basic-2022-07-01.obo.gz');
  const files = [
    '--predictions',
    of('predictions'),
    '--ground-truth',
    of('truth.tsv'),
    '--out-dir',
    of('results'),
  ];
  execFileSync(kindred, ['evaluate', '--obo', obo, ...files, '--no-orphans'], { stdio: ['ignore', 2, 2] });
  const [head, ...lines] = readFileSync(join(folder, 'results', 'evaluation_best_f.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const [file, aspect, f] = ['filename', 'ns', 'f'].map((name) => head.indexOf(name));
  return new Map(lines.map((cells) => [`${cells[file]} ${cells[aspect]}`, Number(cells[f])]));
}

/** Counts calls by what they mean, aspect and word of certainty: how many, the mean probability that was said, and how many are right. */
function calibration(rows, truth) {
  const bins = new Map();
  for (const { protein, go_id, aspect, probability, probability_meaning, certainty } of rows) {
    const key = [probability_meaning, aspect, certainty].join('\t');
    const bin = bins.get(key) ?? { calls: 0, said: 0, right: 0 };
    bin.calls++;
    bin.said += Number(probability);
    bin.right += Number(truth.get(protein).has(go_id));
    bins.set(key, bin);
  }
  return bins;
}

/** How many proteins with a term of an aspect have an answer and a term of that aspect in it, as a share in percent. */
function reached(rows, truth, aspect) {
  const having = [...truth].filter(
    ([, ids]) => [...ids].filter((id) => graph.aspects[graph.liveIndexOf(id)] === aspect).length > 1,
  );
  const given = new Set(rows.filter((row) => row.aspect === aspect).map(({ protein }) => protein));
  return (having.filter(([accession]) => given.has(accession)).length / having.length) * 100;
}

function* measured(shares, without) {
  for (const [test, { from, to }] of Object.entries(tests)) {
    const folder = join(out, test);
    mkdirSync(join(folder, 'predictions'), { recursive: true });
    const chosen = sample(proteins, from, to);
    const terms = termsOf(work, chosen);
    const truth = new Map([...terms].map(([accession, ids]) => [accession, implied(ids)]));
    const pairs = [...terms].flatMap(([accession, ids]) => [...ids].map((id) => `${accession}\t${id}\n`));
    writeFileSync(join(folder, 'truth.tsv'), pairs.join(''));
    const fasta = chosen.map((accession) => `>${accession}\n${proteins.get(accession)}\n`);
    writeFileSync(join(out, `${test}.fasta`), fasta.join(''));
    const isAsked = new Set(chosen);
    for (const [name, left] of Object.entries({ share: new Set(), 'share-clusters': without }))
      writeFileSync(
        join(folder, 'predictions', `${name}.tsv`),
        [...shares(left)].filter((line) => isAsked.has(line.slice(0, line.indexOf('\t')))).join(''),
      );
    const rowsOf = new Map(Object.keys(references).map((name) => [name, answersOf(test, name)]));
    for (const [name, rows] of rowsOf)
      writeFileSync(
        join(folder, 'predictions', `${name}.tsv`),
        // The answer is ordered by the probability of a term, if it has one.
        rows.map((row) => `${row.protein}\t${row.go_id}\t${row.probability || row.score}\n`).join(''),
      );
    const fmax = evaluated(folder);
    for (const [reference, rows] of rowsOf) yield { test, reference, rows, truth, fmax };
  }
}

const meanings = new Set();

function linesOf({ test, reference, rows, truth, fmax }, counted) {
  const { title, shares } = references[reference];
  const answered = new Set(rows.map(({ protein }) => protein)).size;
  const best = (file) => Object.values(aspects).map((aspect) => fmax.get(`${file}.tsv ${aspect}`));
  const [own, plain] = [best(reference), best(shares)];
  const cells = own.map((f, a) => {
    const text = `${f.toFixed(3)}, ${plain[a].toFixed(3)}`;
    return f < plain[a] ? `**${text}**` : text;
  });
  for (const [key, bin] of calibration(rows, truth)) {
    const [meaning, aspect, word] = key.split('\t');
    meanings.add(meaning);
    const place = [reference, meaning, word, aspect].join('\t');
    const sum = counted.get(place) ?? { calls: 0, said: 0, right: 0 };
    for (const name of Object.keys(sum)) sum[name] += bin[name];
    counted.set(place, sum);
  }
  const functions = reached(rows, truth, 'F').toFixed(1);
  return `| ${title} | ${test} | ${answered} | ${functions} % | ${cells.join(' | ')} |`;
}

/** Lists what was said and right of each word of certainty, of both tests together. */
function wordLines(counted) {
  const lines = [];
  for (const [reference, { title }] of Object.entries(references))
    for (const meaning of meanings)
      for (const word of words) {
        const cells = Object.keys(aspects).map((aspect) => {
          const bin = counted.get([reference, meaning, word, aspect].join('\t'));
          if (bin === undefined) return '';
          const right = bin.right / bin.calls;
          if (meaning === '') return `right ${right.toFixed(3)} (${bin.calls.toLocaleString('en')})`;
          const said = bin.said / bin.calls;
          const text = `${said.toFixed(3)}, ${right.toFixed(3)} (${bin.calls.toLocaleString('en')})`;
          return bin.calls >= leastCalls && Math.abs(said - right) > mostError ? `**${text}**` : text;
        });
        if (cells.some((cell) => cell !== ''))
          lines.push(
            `| ${title} | ${meaning || 'none'} | ${word || 'not calibrated'} | ${cells.join(' | ')} |`,
          );
      }
  return lines;
}

mkdirSync(out, { recursive: true });
const kin = readFileSync(join(work, 'references', 'kin.tsv'), 'utf8')
  .split('\n')
  .filter(Boolean);
const queries = Object.values(tests)
  .flatMap(({ from, to }) => sample(proteins, from, to))
  .map((accession) => [accession, proteins.get(accession)]);
const shares = await plainShares(queries, join(out, 'relatives.json'));
const counted = new Map();
const rows = [];
for (const one of measured(shares, new Set(kin.map((line) => line.split('\t')[1]))))
  rows.push({ ...one, line: linesOf(one, counted) });
const order = Object.keys(references);
const table = [
  '| reference | test | answered of 1,000 | with a function, get one | process: answer, share | function | component |',
  '|---|---|---|---|---|---|---|',
  ...rows.toSorted((a, b) => order.indexOf(a.reference) - order.indexOf(b.reference)).map(({ line }) => line),
  '',
  'Said and right by word of certainty, of both tests together:',
  '',
  '| reference | the probability is | word | process: said, right (calls) | function | component |',
  '|---|---|---|---|---|---|',
  ...wordLines(counted),
].join('\n');
console.log(table);
if (option === '--write') {
  const page = readFileSync(accuracyPage, 'utf8');
  const [begin, end] = ['<!-- measured by training/starter/measure.mjs -->', '<!-- end -->'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error('accuracy.md lacks the place of the table.');
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`);
}
