// Writes models/network/terms.tsv: the vocabulary of the shipped network with the names, parents and information of its terms, from the
// ontology of its training.
//
//   node training/network/terms.mjs [FILE]
import { parseObo, OntologyGraph } from '@kindred/kernels/ontology';
import { networkTermsHead } from '@kindred/kernels/network';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { vocabularyOf } from './first-network.mjs';

const root = resolve(import.meta.dirname, '../..');
const folder = resolve(root, 'models/network');
const obo = parseObo(
  gunzipSync(readFileSync(resolve(root, 'examples/go-basic-2022-07-01.obo.gz'))).toString(),
);
const graph = OntologyGraph.fromDocument(obo);
const nameOf = new Map(obo.terms.map(({ id, name }) => [id, name]));
const { data } = JSON.parse(readFileSync(resolve(folder, 'provenance.json'), 'utf8'));
const vocabulary = vocabularyOf(resolve(folder, 'vocabulary.tsv'));
const placeOf = new Map(vocabulary.map(({ id }, place) => [graph.liveIndexOf(id), place]));
const lines = vocabulary.map(({ id, aspect, count }) => {
  const term = graph.liveIndexOf(id);
  const parents = [...graph.parentsOf(term)]
    .map((parent) => placeOf.get(parent))
    .filter((at) => at !== undefined);
  const bits = -Math.log2(count / data.representatives);
  return [id, aspect, bits.toFixed(2), parents.sort((a, b) => a - b).join(' '), nameOf.get(id)].join('\t');
});
writeFileSync(
  process.argv[2] ?? resolve(folder, 'terms.tsv'),
  `${[networkTermsHead, ...lines].join('\n')}\n`,
);
