// Counts how often the terms of the shipped network are right for the families that it never saw, and what it says of shuffled proteins.
// It writes models/network/rates.json, which is shown beside such terms. Right is what Swiss-Prot of January 2014 says, by any evidence,
// and what is above it; a protein counts in the aspects in which Swiss-Prot says something.
//
//   node training/network/rates.mjs --data <folder of make-data.sh>
import { Random } from '@kindred/kernels/arrays';
import { NetworkTerms, SequenceNetwork } from '@kindred/kernels/network';
import { parseObo, OntologyGraph } from '@kindred/kernels/ontology';
import { aspects } from '@kindred/kernels/vocabulary';
import { createWasmNetwork, loadNative } from '@kindred/native';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { shuffled } from '../combined/nonsense-sequences.mjs';
import { readSequences } from './ask.mjs';
import { addWithAncestors } from './orphans.mjs';

/** The lower ends of the bands of a score. */
const bands = [0.2, 0.5, 0.8];
/** One in so many proteins is shuffled. */
const everyOther = 4;

const { values: options } = parseArgs({ options: { data: { type: 'string' } } });
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'models/network');
const read = (name) => readFileSync(join(folder, name));
const native = loadNative({ use: 'on' });
const network = new SequenceNetwork(JSON.parse(read('layout.json')), read('weights.bin'), (program) =>
  native ? native.createNetwork(program) : createWasmNetwork(program),
);
const terms = new NetworkTerms(read('terms.tsv').toString());
const obo = gunzipSync(readFileSync(join(root, 'examples/go-basic-2022-07-01.obo.gz'))).toString();
const graph = OntologyGraph.fromDocument(parseObo(obo));
const closure = graph.ancestorClosure();
const swissprot = readSequences(join(options.data, 'swissprot.fasta'));
const names = read('validation.txt').toString().trimEnd().split('\n');
const truth = new Map(names.map((name) => [name, new Set()]));
for (const line of readFileSync(join(options.data, 'swissprot-go.tsv'), 'utf8').split('\n')) {
  const [accession, goId] = line.split('\t', 2);
  const term = graph.liveIndexOf(goId ?? '');
  if (term >= 0 && truth.has(accession)) addWithAncestors(truth.get(accession), term, closure);
}

const answerOf = (sequence) => {
  const answer = network.answer(sequence);
  return answer === null ? null : terms.answer(answer.probabilities);
};
const tally = Object.fromEntries(
  aspects.map((aspect) => [aspect, bands.map((from) => ({ from, said: 0, right: 0 }))]),
);
let proteins = 0;
let shuffledProteins = 0;
const saying = { proteins: bands.map(() => 0), shuffled: bands.map(() => 0) };
const random = new Random(107);
const countSaying = (kind, answer) =>
  bands.forEach((from, at) => {
    if (answer.some(({ score, bits }) => score >= from && bits >= 3)) saying[kind][at] += 1;
  });
names.forEach((name, i) => {
  if (i % 50 === 0) process.stderr.write(`\r${i} of ${names.length}  `);
  const sequence = swissprot.get(name);
  const answer = answerOf(sequence);
  if (answer === null) return;
  proteins += 1;
  countSaying('proteins', answer);
  const right = truth.get(name);
  const spoken = new Set(Array.from(right, (term) => graph.aspects[term]));
  for (const { goId, aspect, score, impliedBy } of answer) {
    const term = graph.liveIndexOf(goId);
    if (impliedBy !== null || !spoken.has(graph.aspects[term])) continue;
    const band = tally[aspect].findLast(({ from }) => score >= from);
    band.said += 1;
    band.right += Number(right.has(term));
  }
  if (i % everyOther !== 0) return;
  shuffledProteins += 1;
  countSaying('shuffled', answerOf(shuffled(sequence, random)));
});
const share = (counts, all) =>
  counts.map((count, at) => ({ from: bands[at], share: Number((count / all).toFixed(4)) }));
const rates = {
  what: 'Terms that no other term of the answer implies, by score: how many the shipped network said of families that it never saw, and how many of them Swiss-Prot of January 2014 holds (any evidence). And the share of these proteins, and of such proteins shuffled, with a term that at most one in eight proteins has, at such a score or more',
  made_by: 'training/network/rates.mjs',
  proteins,
  bands: tally,
  specific: share(saying.proteins, proteins),
  shuffled_proteins: shuffledProteins,
  specific_of_shuffled: share(saying.shuffled, shuffledProteins),
};
writeFileSync(join(folder, 'rates.json'), `${JSON.stringify(rates, null, 2)}\n`);
