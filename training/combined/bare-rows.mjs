// Writes the candidates of proteins of eukaryotes with their features, and the scores that a model is measured by, for bare_train.py and
// bare-evaluate.mjs: of bare sequences, or of known proteins.
//
//   node training/combined/bare-rows.mjs --shared <folder> --goa <folder> --out <folder> [--further]
//     [--known --models <folder of train.py>]
//
// Of each window, density and aspect: <window>.<density>.<aspect>.features (float32, columns of bareColumns or knownColumns), .rows (int32:
// protein, term, right, category as 0 NK, 1 LK, 2 PK, whether the row may be learnt from) and .votes (float32: protein, term, score). Known
// proteins have .today, too: the score of the combination, by a model that leaves the organism out; --models has those of yeast, worm and
// Dictyostelium, and of other organisms the shipped ones saw nothing. Only aspects in which something was found are written. index.json
// names the columns and windows; targets.json has the accession and the sequence of each protein, for bare-folds.mjs.
import {
  bareColumns,
  BareFeatures,
  bareFeatures,
  combinedScores,
  countedSources,
  isSimilarAt,
  knownColumns,
  NetworkTermReader,
  UntrainedVotes,
} from '@kindred/kernels/combined';
import { GrowingFloat32, GrowingInt32 } from '@kindred/kernels/arrays';
import { linkOntology } from '@kindred/kernels/evaluation';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openNetwork } from '../network/ask.mjs';
import { bareSources, kinds, networkOrganisms } from './bare-sources.mjs';
import { gainsOf } from './features.mjs';
import { modelScores, readModels } from './methods.mjs';
import { keptRelatives } from './neighbours.mjs';
import { accretionOf, queryOf, referenceOf } from './window-reference.mjs';
import { aspects } from './windows.mjs';

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'goa', 'out', 'models'].map((name) => [name, { type: 'string' }])),
    known: { type: 'boolean', default: false },
    further: { type: 'boolean', default: false },
  },
});
if (!options.shared || !options.goa || !options.out || (options.known && !options.models))
  throw new Error(
    'usage: bare-rows.mjs --shared FOLDER --goa FOLDER --out FOLDER [--known --models FOLDER OF train.py]',
  );
mkdirSync(options.out, { recursive: true });

const shippedModels = resolve(import.meta.dirname, '../../models/combined');
const kind = options.known ? 'known' : 'bare';
const { densities, trees } = kinds[kind];
const columns = options.known ? knownColumns : bareColumns;
const bareWidth = bareFeatures.length;

/** Collects the rows of one window and density, by aspect. */
class Rows {
  #parts = aspects.map(() => ({
    features: new GrowingFloat32(),
    rows: new GrowingInt32(),
    weights: new GrowingFloat32(),
    votes: new GrowingFloat32(),
    ...(options.known ? { today: new GrowingFloat32() } : {}),
  }));

  addCandidates(a, protein, { terms, features }, { gain, known, accretion }) {
    const part = this.#parts[a];
    terms.forEach((term, i) => {
      for (const column of columns) part.features.push(features[i * bareWidth + column]);
      const isRight = Number(gain.terms.has(term));
      for (const value of [protein, term, isRight, gain.category, Number(!known.has(term))])
        part.rows.push(value);
      part.weights.push(Math.sqrt(0.2 + accretion[term]));
    });
  }

  /** Adds the terms of an aspect with their scores to the column `votes` or `today`. */
  addScores({ column, a, protein }, { term, score }, aspectOf) {
    const values = this.#parts[a][column];
    term.forEach((one, i) => {
      if (aspectOf[one] !== a) return;
      for (const value of [protein, one, score[i]]) values.push(value);
    });
  }

  write(path) {
    this.#parts.forEach((part, a) => {
      for (const [column, values] of Object.entries(part))
        writeFileSync(`${path}.${aspects[a]}.${column}`, values.finish());
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

/** Returns the query of a target; null where it gets no answer: a bare sequence without a relative, a known protein without a term. */
function askedOf(reference, neighbours, protein) {
  const all = queryOf({ reference }, neighbours, protein, { bare: !options.known });
  const query = { ...all, ...countedSources(all, reference.speaks), organism: reference.organism[protein] };
  const isAnswered = options.known ? query.own.terms.length > 0 : query.aligned.logEValue.some(isSimilarAt);
  return isAnswered ? query : null;
}

/** Opens the scores that a window's proteins are measured by. */
function openScores(reference, { graph }, { organism }) {
  const votes = new UntrainedVotes(reference);
  if (!options.known) return (query) => ({ votes: votes.score(query) });
  const isLeftOut = existsSync(join(options.models, `${organism}.P.txt`));
  const models = isLeftOut ? readModels(options.models, organism) : readModels(shippedModels);
  const place = { closure: graph.ancestorClosure(), scratch: new Int32Array(graph.size).fill(-1) };
  return (query, described) => {
    const voted = votes.score(query, { by: 'alignment', withOwn: true });
    const model = modelScores(described, models, bareWidth);
    return { votes: voted, today: combinedScores(model, voted, query.own, place) };
  };
}

function writeDensity({ data, one, neighbours, network, accretion }, density, reference) {
  const kernel = new BareFeatures(reference);
  const scoresOf = openScores(reference, data, one.window);
  const reader = network && new NetworkTermReader(reference, network.outputs);
  const gains = gainsOf(data, one.holdout);
  const known = knownTerms(one.holdout);
  const rows = new Rows();
  let answered = 0;
  for (const protein of one.targets) {
    const query = askedOf(reference, neighbours, protein);
    if (query === null) continue;
    answered++;
    const said = network?.probabilities.get(protein) ?? null;
    const described = kernel.describe(query, said === null ? null : reader.read(said));
    const scores = Object.entries(scoresOf(query, described));
    aspects.forEach((aspect, a) => {
      const gain = gains.get(`${protein} ${aspect}`);
      if (gain === undefined) return;
      rows.addCandidates(a, protein, described[a], {
        gain,
        known: known.get(protein) ?? new Set(),
        accretion,
      });
      for (const [column, scored] of scores) rows.addScores({ column, a, protein }, scored, reference.aspect);
    });
  }
  rows.write(join(options.out, `${one.window.name}.${density}`));
  console.log(`${one.window.name} ${density}: ${answered} of ${one.targets.length} answered`);
}

const networks = new Map();
/** Asks the first network about the targets of an organism that it left out; null for others. */
function askedNetwork({ graph, proteins }, { window, targets }) {
  if (options.known || options.further || !networkOrganisms.has(window.organism)) return null;
  if (!networks.has(graph)) networks.set(graph, openNetwork('first', options.shared, graph));
  const { ask, outputs, shares } = networks.get(graph);
  const said = ask(Array.from(targets, (target) => proteins[target].sequence));
  return {
    outputs: { ...outputs, trained: shares, map: null },
    probabilities: new Map(Array.from(targets, (target, i) => [target, said[i]])),
  };
}

const index = {
  ...{ kind, trees, densities, aspects },
  columns: columns.map((column) => bareFeatures[column]),
  windows: [],
};
const targetsFile = {};
for await (const { name, data, opened } of bareSources({ ...options, kind })) {
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
writeFileSync(join(options.out, 'index.json'), JSON.stringify(index));
writeFileSync(join(options.out, 'targets.json'), JSON.stringify(targetsFile));
