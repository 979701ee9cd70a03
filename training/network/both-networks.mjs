// Compares how both networks score proteins that neither learnt from: the log odds of terms beyond their frequency in training.
//
//   node training/network/both-networks.mjs --shared <folder> --goa <folder with swissprot-2014-01.tsv> [--out <folder>]
//
// A model whose columns come from the first network is applied to those of the second; this says how far they differ.
// bare-network.json in the folder `out` gets equal quantiles of both, by which the second's columns are read as the first's.
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { quantileOfSorted } from '@kindred/kernels/arrays';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openNetwork } from './ask.mjs';
import { logOdds } from './moved-terms.mjs';

const shownQuantiles = [0.5, 0.9, 0.99, 0.999];
const quantiles = [0.01, 0.1, 0.25, ...[0.5, 0.75, 0.9, 0.95, 0.98, 0.99], ...[0.995, 0.998, 0.999]];
const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    goa: { type: 'string' },
    out: { type: 'string' },
  },
});
if (!options.shared || !options.goa) throw new Error('usage: both-networks.mjs --shared FOLDER --goa FOLDER');

const words = (text) => text.trimEnd().split('\n');
const here = import.meta.dirname;
const leftOut = new Set(words(gunzipSync(readFileSync(join(here, 'test-accessions.txt.gz'))).toString()));
const validation = words(readFileSync(join(here, '../../models/network/validation.txt'), 'utf8'));
const neither = new Set(validation.filter((accession) => leftOut.has(accession)));
const sequences = words(readFileSync(join(options.goa, 'swissprot-2014-01.tsv'), 'utf8'))
  .map((line) => line.split('\t'))
  .filter(([accession]) => neither.has(accession))
  .map(([, sequence]) => sequence);
const obo = gunzipSync(readFileSync(join(options.shared, 'data/ontology/go-2022-07-01.obo.gz'))).toString();
const graph = new OntologyGraph(ontologyColumns(parseObo(obo)));

/** Returns the log odds beyond the frequency in training, by term, with one entry for each sequence. */
function excessOf(name) {
  const { outputs, shares, ask } = openNetwork(name, options.shared, graph);
  const answers = ask(sequences);
  const found = new Map();
  outputs.term.forEach((term, output) => {
    if (term >= 0)
      found.set(
        term,
        answers.map((of) => (of === null ? null : logOdds(of[output]) - logOdds(shares[output]))),
      );
  });
  return found;
}

const [first, second] = ['first', 'second'].map(excessOf);
process.stderr.write('\n');
console.log(`${sequences.length} proteins`);
console.log('| aspect | quantile | first | second | difference |\n|---|---|---|---|---|');
const map = ['P', 'F', 'C'].map((aspect) => {
  const terms = [...first.keys()].filter((term) => second.has(term) && graph.aspects[term] === aspect);
  const sorted = (of) =>
    Float64Array.from(terms.flatMap((term) => of.get(term).filter((value) => value !== null))).sort();
  const [a, b] = [sorted(first), sorted(second)];
  for (const at of shownQuantiles) {
    const [one, other] = [quantileOfSorted(a, at), quantileOfSorted(b, at)];
    console.log(
      `| ${aspect} | ${at} | ${one.toFixed(2)} | ${other.toFixed(2)} | ${(other - one).toFixed(2)} |`,
    );
  }
  const of = (values) => quantiles.map((at) => Number(quantileOfSorted(values, at).toFixed(3)));
  return { from: of(b), to: of(a) };
});
if (options.out !== undefined) {
  const what =
    'Equal quantiles of the log odds beyond the frequency in training, by aspect (P, F, C): of the second network (from) and of the first (to), on proteins that neither learnt from.';
  const text = JSON.stringify({ what, proteins: sequences.length, quantiles, map }, null, 1);
  writeFileSync(join(options.out, 'bare-network.json'), `${text}\n`);
}
