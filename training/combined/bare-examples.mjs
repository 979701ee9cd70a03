// Asks what examples/check-queries.mjs asks of the service, of votes and of the model of bare sequences: is the first term of the example
// set's queries right? Eukaryotes are scored by the models with the network of bare-run.mjs --with-network, with the shipped network read
// through its map; others by votes.
//
//   node training/combined/bare-examples.mjs --shared <folder> --out <folder of bare-curves.mjs>
import {
  BareFeatures,
  bareFeatures,
  combinedScores,
  countedSources,
  isSimilarAt,
  NetworkTermReader,
  probabilitiesOf,
  UntrainedVotes,
} from '@kindred/kernels/combined';
import { parseFasta, readGaf } from '@kindred/kernels/formats';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { parseLightgbmModel, predictWith } from '@kindred/kernels/reranker';
import { createWasmTreeWalker } from '@kindred/native';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openNetwork } from '../network/ask.mjs';
import { orderedAnswer, parentsOf } from './answers.mjs';
import { alignmentNeighbours, distanceNeighbours } from './neighbours.mjs';
import { queryOf, referenceOf } from './window-reference.mjs';
import { aspects } from './windows.mjs';

const { values: options } = parseArgs({ options: { shared: { type: 'string' }, out: { type: 'string' } } });
if (!options.shared || !options.out) throw new Error('usage: bare-examples.mjs --shared FOLDER --out FOLDER');
const root = resolve(import.meta.dirname, '../..');
const example = (name) => readFileSync(join(root, 'examples', name));
const models = (name) => readFileSync(join(root, 'models/combined', name), 'utf8');
const prokaryotes = new Set(['Bacillus subtilis', 'Escherichia coli', 'Methanocaldococcus jannaschii']);

const obo = gunzipSync(example('go-basic-2022-07-01.obo.gz')).toString();
const graph = new OntologyGraph(ontologyColumns(parseObo(obo)));
const closure = graph.ancestorClosure();
const asked = parseFasta(example('queries.fasta').toString());
const proteins = [
  ...asked.map((one) => ({ ...one, organism: 'queries' })),
  ...parseFasta(gunzipSync(example('reference.fasta.gz')).toString()).map((one) => ({
    ...one,
    organism: 'human',
  })),
];
const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
const human = [];
for await (const { records } of readGaf([gunzipSync(example('reference.gaf.gz'))]))
  for (const { accession, goId, evidenceCode, dbReference, negated } of records)
    if (numberOf.has(accession))
      human.push({
        ...{ protein: numberOf.get(accession), term: graph.liveIndexOf(goId) },
        ...{ evidenceCode, dbReference, negated },
      });
const annotations = async (_, organism) => (organism === 'human' ? human : []);
const data = { graph, proteins, numberOf, annotations, organisms: ['human'] };
const reference = await referenceOf(data, 0, false);
const numbers = Int32Array.from(asked.keys());
const neighbours = {
  aligned: alignmentNeighbours(proteins, numbers),
  near: await distanceNeighbours(proteins, numbers),
};

const network = openNetwork('second', options.shared, graph);
const { map } = JSON.parse(readFileSync(join(options.out, 'bare-network.json'), 'utf8'));
const reader = new NetworkTermReader(reference, { ...network.outputs, trained: network.shares, map });
const said = network.ask(asked.map(({ sequence }) => sequence));
const votes = new UntrainedVotes(reference);
const features = new BareFeatures(reference);
const boosters = aspects.map((aspect) => {
  const model = parseLightgbmModel(readFileSync(join(options.out, 'models', `all.${aspect}.txt`), 'utf8'));
  const columns = model.featureNames.map((name) => bareFeatures.indexOf(name));
  return { model, columns, walker: createWasmTreeWalker(model) };
});

/** Scores the candidates of a query by the model. */
function modelScores(query, q) {
  const found = { term: [], score: [] };
  features.describe(query, reader.read(said[q])).forEach(({ terms, features: rows }, a) => {
    const { model, columns, walker } = boosters[a];
    const matrix = Float64Array.from({ length: terms.length * columns.length }, (_, i) => {
      const [row, column] = [Math.floor(i / columns.length), columns[i % columns.length]];
      return rows[row * bareFeatures.length + column];
    });
    found.term.push(...terms);
    found.score.push(...predictWith(walker, model, matrix));
  });
  return found;
}

const shippedCurves = [
  ...JSON.parse(models('calibration.json')),
  ...JSON.parse(readFileSync(join(options.out, 'bare-calibration.json'), 'utf8')),
];
const place = { closure, scratch: new Int32Array(graph.size).fill(-1) };
const parents = parentsOf(graph);

/** Returns the answer to a query by votes, or by the mean of model and votes. */
function answerTo(q, method) {
  const all = queryOf({ reference }, neighbours, q, { bare: true });
  const query = { ...all, ...countedSources(all, reference.speaks), organism: -1 };
  if (!query.aligned.logEValue.some(isSimilarAt)) return [];
  const voted = votes.score(query);
  const { term, score } =
    method === 'untrained' ? voted : combinedScores(modelScores(query, q), voted, null, place);
  const { annotated } = reference;
  const supported = new Set(
    [...query.aligned.reference, ...query.near.reference].flatMap((source) => [
      ...annotated.terms.subarray(annotated.start[source], annotated.start[source + 1]),
    ]),
  );
  const kingdom = isProkaryote(q) ? 'Bacteria' : 'Eukaryota';
  const meanings = aspects.map((aspect) =>
    probabilitiesOf(shippedCurves, { method, aspect, known: 'nothing', kingdom }),
  );
  const rows = [...term.keys()].filter((i) => supported.has(term[i]));
  return orderedAnswer(
    rows.map((i) => ({
      ...{ term: term[i], score: score[i] },
      probability: meanings[reference.aspect[term[i]]](score[i])?.probability ?? null,
    })),
    reference,
    { graph, parents },
  );
}

const lines = (name) => example(name).toString().trimEnd().split('\n').slice(1);
const hits = new Map(
  lines('blast_top_hits.tsv').map((line) => {
    const [query, organism, , kind, , , identity] = line.split('\t');
    return [query, { organism, isClose: kind === 'close', identity: Number(identity) }];
  }),
);
const isProkaryote = (q) =>
  [...prokaryotes].some((name) => hits.get(asked[q].accession)?.organism.startsWith(name));
const truth = new Map();
for (const line of lines('queries_truth.tsv')) {
  const [accession, id] = line.split('\t');
  const term = graph.liveIndexOf(id);
  if (!truth.has(accession)) truth.set(accession, new Set());
  if (term >= 0)
    for (let at = closure.start[term]; at < closure.start[term + 1]; at++)
      truth.get(accession).add(closure.terms[at]);
}
const methods = { votes: 'untrained', model: 'bare' };
const right = Object.fromEntries(Object.keys(methods).map((name) => [name, { near: 0, close: 0, all: 0 }]));
const asksOf = { near: 0, close: 0 };
process.stderr.write('\n');
console.log('| query | identity | votes | right | model | right |\n|---|---|---|---|---|---|');
for (const [q, { accession }] of asked.entries()) {
  const { identity = 0, isClose = false } = hits.get(accession) ?? {};
  const isNear = identity > 60;
  asksOf.near += Number(isNear);
  asksOf.close += Number(isClose);
  const cells = Object.entries(methods).flatMap(([name, method]) => {
    const [first] = answerTo(q, method === 'bare' && isProkaryote(q) ? 'untrained' : method);
    const isRight = first !== undefined && truth.get(accession).has(first.term);
    right[name].all += Number(isRight);
    right[name].near += Number(isNear && isRight);
    right[name].close += Number(isClose && isRight);
    const text =
      first === undefined
        ? 'none'
        : `${first.go_id} ${first.aspect} ${first.score.toFixed(2)} ${first.probability?.toFixed(2) ?? 'not calibrated'}`;
    return [text, isRight ? 'yes' : 'no'];
  });
  console.log(`| ${accession} | ${identity.toFixed(0)} | ${cells.join(' | ')} |`);
}
for (const [name, { near, close, all }] of Object.entries(right))
  console.log(
    `${name}: above 60 % ${near} of ${asksOf.near}, 40 % over 60 % of the query ${close} of ${asksOf.close}, all ${all} of ${asked.length}`,
  );
