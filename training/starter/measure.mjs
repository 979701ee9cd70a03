// Measures the share of 1,000 random proteins of Swiss-Prot 2014-01 that get an answer, and how good it is, for
// docs/explanation/accuracy.md. The proteins are of all kingdoms, and the starter reference has none of their sequences.
//   node training/starter/measure.mjs WORK KINDRED [option of annotate ...]
// WORK is the folder of make.mjs, and KINDRED the command, which annotates with the default reference of its service. The truth is
// Swiss-Prot's annotations by any evidence.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { examples, otherProteins, sample, termsOf, testCount } from './sample.mjs';

const [work, kindred, ...options] = process.argv.slice(2);
if (kindred === undefined) throw new Error('usage: measure.mjs WORK KINDRED [option of annotate ...]');
const out = resolve(work, 'measured');

mkdirSync(join(out, 'predictions'), { recursive: true });
const proteins = otherProteins(work);
const chosen = sample(proteins, 0, testCount);
writeFileSync(
  join(out, 'truth.tsv'),
  [...termsOf(work, chosen)]
    .flatMap(([accession, terms]) => [...terms].map((term) => `${accession}\t${term}\n`))
    .join(''),
);
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
// The answer is ordered by the probability of a term, if it has one.
const orderOf = ({ probability, score }) => (probability === '' ? score : probability);
writeFileSync(
  join(out, 'predictions', 'answers.tsv'),
  predicted.map((row) => `${row.protein}\t${row.go_id}\t${orderOf(row)}\n`).join(''),
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
const graph = new OntologyGraph(
  ontologyColumns(
    parseObo(gunzipSync(readFileSync(join(examples, 'go-basic-2022-07-01.obo.gz'))).toString()),
  ),
);
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
const truth = new Map([...termsOf(work, chosen)].map(([accession, terms]) => [accession, implied(terms)]));
const aspectOf = (id) => graph.aspects[graph.liveIndexOf(id)];

/** Lists, for each word of certainty and each tenth of the probability, the mean probability that was said and the share that was right. */
function calibrationLines(aspect) {
  const bins = new Map();
  for (const { protein, go_id, probability, certainty, ...row } of predicted) {
    if (row.aspect !== aspect || probability === '') continue;
    for (const name of [certainty, `${Math.min(9, Math.floor(10 * Number(probability)))}0 %`]) {
      const bin = bins.get(name) ?? { calls: 0, said: 0, right: 0 };
      bin.calls++;
      bin.said += Number(probability);
      bin.right += Number(truth.get(protein)?.has(go_id) === true);
      bins.set(name, bin);
    }
  }
  return [...bins]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { calls, said, right }]) =>
        `| ${aspect} | ${name} | ${(said / calls).toFixed(3)} | ${(right / calls).toFixed(3)} | ${calls} |`,
    );
}

const answered = new Set(predicted.map(({ protein }) => protein));
console.log(`${answered.size} of ${testCount} answered, ${predicted.length} terms`);
for (const aspect of ['P', 'F', 'C']) {
  const having = [...truth].filter(([, ids]) => [...ids].filter((id) => aspectOf(id) === aspect).length > 1);
  const given = new Set(predicted.filter((row) => row.aspect === aspect).map(({ protein }) => protein));
  const found = having.filter(([accession]) => given.has(accession)).length;
  const reached = having.filter(([accession]) => answered.has(accession)).length;
  console.log(
    `${aspect}: ${found} of ${having.length} that have a term get one; ${reached} of them have an answer`,
  );
}
console.log(readFileSync(join(out, 'results', 'evaluation_best_f.tsv'), 'utf8'));
console.log(['| aspect | class | said | right | calls |', '|---|---|---|---|---|'].join('\n'));
for (const aspect of ['P', 'F', 'C']) console.log(calibrationLines(aspect).join('\n'));
