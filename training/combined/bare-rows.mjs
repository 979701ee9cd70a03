// Writes the candidates of bare sequences with their features, and their votes, for bare_train.py and bare-evaluate.mjs.
//
//   node training/combined/bare-rows.mjs --shared <folder> --goa <folder> --out <folder>
//
// Of each window, density and aspect: <window>.<density>.<aspect>.features (float32, columns of bareColumns), .rows (int32: protein, term,
// right, category as 0 NK, 1 LK, 2 PK, whether the row may be learnt from) and .votes (int32: protein, term; float32: score, in one row of
// three). Only aspects in which something was found are written. index.json names the columns and windows; targets.json has the accession
// and the sequence of each protein, for bare-folds.mjs.
import {
  bareColumns,
  BareFeatures,
  bareFeatures,
  countedSources,
  isSimilarAt,
  NetworkTermReader,
  UntrainedVotes,
} from '@kindred/kernels/combined';
import { linkOntology } from '@kindred/kernels/evaluation';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openNetwork } from '../network/ask.mjs';
import { bareSources, densities, networkOrganisms } from './bare-sources.mjs';
import { gainsOf } from './features.mjs';
import { keptRelatives } from './neighbours.mjs';
import { accretionOf, queryOf, referenceOf } from './window-reference.mjs';
import { aspects } from './windows.mjs';

const { values: options } = parseArgs({
  options: { shared: { type: 'string' }, goa: { type: 'string' }, out: { type: 'string' } },
});
if (!options.shared || !options.goa || !options.out)
  throw new Error('usage: bare-rows.mjs --shared FOLDER --goa FOLDER --out FOLDER');
mkdirSync(options.out, { recursive: true });

const bareWidth = bareFeatures.length;

/** Collects the rows of one window and density, by aspect. */
class Rows {
  #parts = aspects.map(() => ({ features: [], rows: [], weights: [], votes: [] }));

  addCandidates(a, protein, { terms, features }, { gain, known, accretion }) {
    const part = this.#parts[a];
    terms.forEach((term, i) => {
      const row = features.subarray(i * bareWidth, (i + 1) * bareWidth);
      part.features.push(Float32Array.from(bareColumns, (column) => row[column]));
      part.rows.push(protein, term, Number(gain.terms.has(term)), gain.category, Number(!known.has(term)));
      part.weights.push(Math.sqrt(0.2 + accretion[term]));
    });
  }

  addVote(a, protein, term, score) {
    this.#parts[a].votes.push(protein, term, score);
  }

  write(path) {
    this.#parts.forEach(({ features, rows, weights, votes }, a) => {
      const values = new Float32Array(features.length * bareColumns.length);
      features.forEach((row, i) => values.set(row, i * bareColumns.length));
      const name = `${path}.${aspects[a]}`;
      writeFileSync(`${name}.features`, values);
      writeFileSync(`${name}.rows`, Int32Array.from(rows));
      writeFileSync(`${name}.weights`, Float32Array.from(weights));
      writeFileSync(`${name}.votes`, Float32Array.from(votes));
    });
  }
}

/** Returns the terms that a protein had by experiment before, by protein. */
function knownTerms({ known }) {
  const found = new Map();
  known.protein.forEach((protein, i) => {
    if (!found.has(protein)) found.set(protein, new Set());
    found.get(protein).add(known.term[i]);
  });
  return found;
}

function writeDensity({ data, one, neighbours, network, accretion }, density, reference) {
  const kernel = new BareFeatures(reference);
  const votes = new UntrainedVotes(reference);
  const reader = network && new NetworkTermReader(reference, network.outputs);
  const gains = gainsOf(data, one.holdout);
  const known = knownTerms(one.holdout);
  const rows = new Rows();
  let answered = 0;
  for (const protein of one.targets) {
    const all = queryOf({ reference }, neighbours, protein, { bare: true });
    const query = {
      ...all,
      ...countedSources(all, reference.speaks),
      organism: reference.organism[protein],
    };
    if (!query.aligned.logEValue.some(isSimilarAt)) continue;
    answered++;
    const said = network?.probabilities.get(protein) ?? null;
    const columns = said === null ? null : reader.read(said);
    const described = kernel.describe(query, columns);
    const voted = votes.score(query);
    aspects.forEach((aspect, a) => {
      const gain = gains.get(`${protein} ${aspect}`);
      if (gain === undefined) return;
      rows.addCandidates(a, protein, described[a], {
        gain,
        known: known.get(protein) ?? new Set(),
        accretion,
      });
      voted.term.forEach((term, i) => {
        if (reference.aspect[term] === a) rows.addVote(a, protein, term, voted.score[i]);
      });
    });
  }
  rows.write(join(options.out, `${one.window.name}.${density}`));
  console.log(`${one.window.name} ${density}: ${answered} of ${one.targets.length} answered`);
}

const networks = new Map();
/** Asks the first network about the targets of an organism that it left out; null for others. */
function askedNetwork({ graph, proteins }, { window, targets }) {
  if (!networkOrganisms.has(window.organism)) return null;
  if (!networks.has(graph)) networks.set(graph, openNetwork('first', options.shared, graph));
  const { ask, outputs, shares } = networks.get(graph);
  const said = ask(Array.from(targets, (target) => proteins[target].sequence));
  return {
    outputs: { ...outputs, trained: shares, map: null },
    probabilities: new Map(Array.from(targets, (target, i) => [target, said[i]])),
  };
}

const index = { columns: bareColumns.map((column) => bareFeatures[column]), aspects, windows: [] };
const targetsFile = {};
for await (const { name, data, opened } of bareSources(options)) {
  const ontology = linkOntology(data.columns);
  const neighbours = await keptRelatives(data, { out: options.out, prefix: `bare-${name}-` }, () => [
    ...new Set(opened.flatMap(({ targets }) => [...targets])),
  ]);
  const whole = await referenceOf(data, opened[0].window.before, false);
  const accretion = accretionOf(data, ontology, { reference: whole }).ofTerm;
  for (const one of opened) {
    const { organism, before } = one.window;
    const make = { data, one, neighbours, network: askedNetwork(data, one), accretion };
    const others = { ...data, organisms: data.organisms.filter((other) => other !== organism) };
    for (const density of densities)
      writeDensity(make, density, density === 'own' ? whole : await referenceOf(others, before, false));
    index.windows.push({ name: one.window.name, source: name, organism });
    targetsFile[one.window.name] = Array.from(one.targets, (protein) => ({
      protein,
      accession: data.proteins[protein].accession,
      sequence: data.proteins[protein].sequence,
    }));
  }
}
writeFileSync(join(options.out, 'index.json'), JSON.stringify({ ...index, densities }));
writeFileSync(join(options.out, 'targets.json'), JSON.stringify(targetsFile));
