// Functions that make the predictions of each method for the targets of a window, as rows of protein, term and score.
import {
  CombinedFeatures,
  combinedFeatures,
  combinedScores,
  experimentalBit,
  UntrainedVotes,
} from '@kindred/kernels/combined';
import { createWasmTreeWalker } from '@kindred/native';
import { parseLightgbmModel, predictWith } from '@kindred/kernels/reranker';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { aspects } from './windows.mjs';
import { queryOf } from './window-reference.mjs';

/** The weights of evidence groups that let only experiments vote. */
const experimentalOnly = Float64Array.of(1, 0, 0, 0, 0, 0, 0);

class Rows {
  protein = [];
  term = [];
  score = [];
  add(protein, term, score) {
    this.protein.push(protein);
    this.term.push(term);
    this.score.push(score);
  }
}

/** Predicts the frequent terms for every protein. */
export function naive({ reference, targets }) {
  const rows = new Rows();
  const { share } = reference.experimental;
  for (const protein of targets)
    share.forEach((value, term) => {
      if (value >= 0.01) rows.add(protein, term, value);
    });
  return rows;
}

/** Predicts by the identity of the most similar reference with the term, with an E-value of at most 0.001. */
export function sequenceSimilarity(
  { reference: { annotated, speaks }, targets },
  neighbours,
  mask = experimentalBit,
) {
  const rows = new Rows();
  for (const protein of targets) {
    const best = new Map();
    for (const hit of neighbours.aligned.get(protein)) {
      if (hit.reference === protein || hit.logEValue > -3 || speaks[hit.reference] === 0) continue;
      for (let at = annotated.start[hit.reference]; at < annotated.start[hit.reference + 1]; at++)
        if (annotated.groups[at] & mask)
          best.set(annotated.terms[at], Math.max(best.get(annotated.terms[at]) ?? 0, hit.identity));
    }
    for (const [term, score] of best) rows.add(protein, term, score);
  }
  return rows;
}

/** Predicts by sequence similarity of NCBI's blastp, from the hits that blastp.mjs found. */
function blastp({ reference: { annotated, speaks }, targets }, hits) {
  const rows = new Rows();
  for (const protein of targets) {
    const best = new Map();
    for (const { reference, identity } of hits.get(protein) ?? []) {
      if (reference === protein || speaks[reference] === 0) continue;
      for (let at = annotated.start[reference]; at < annotated.start[reference + 1]; at++)
        if (annotated.groups[at] & experimentalBit)
          best.set(annotated.terms[at], Math.max(best.get(annotated.terms[at]) ?? 0, identity));
    }
    for (const [term, score] of best) rows.add(protein, term, score);
  }
  return rows;
}

/** Predicts the non-experimental terms of the protein at the first date. */
export function ownElectronic({ reference: { annotated }, targets }) {
  const rows = new Rows();
  for (const protein of targets)
    for (let at = annotated.start[protein]; at < annotated.start[protein + 1]; at++)
      if (annotated.groups[at] & ~experimentalBit) rows.add(protein, annotated.terms[at], 1);
  return rows;
}

/** Predicts by NCBI blastp on E. coli and yeast, from the golden data: the identity of the best hit with the term. */
function goldenBlast({ graph, numberOf }, shared) {
  const path = join(shared, 'data', 'ecoli-k12', 'golden', 'predictions', 'blast.tsv.gz');
  const rows = new Rows();
  for (const line of gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')) {
    const [accession, goId, score] = line.split('\t');
    const term = graph.liveIndexOf(goId);
    if (numberOf.has(accession) && term >= 0) rows.add(numberOf.get(accession), term, Number(score));
  }
  return rows;
}

/** Predicts by votes without training; `options` are those of the kernel. */
export function votes(opened, neighbours, options) {
  const rows = new Rows();
  const kernel = new UntrainedVotes(opened.reference);
  for (const protein of opened.targets) {
    const query = queryOf(opened, neighbours, protein, { bare: options.withOwn !== true });
    const { term, score } = kernel.score(query, options);
    term.forEach((t, i) => rows.add(protein, t, score[i]));
  }
  return rows;
}

/** Reads the models of one fold by aspect; without a fold, the shipped ones. */
export function readModels(folder, fold = null) {
  return aspects.map((aspect) => {
    const name = fold === null ? `${aspect}.txt` : `${fold}.${aspect}.txt`;
    const model = parseLightgbmModel(readFileSync(join(folder, name), 'utf8'));
    const columns = model.featureNames.map((name) => combinedFeatures.indexOf(name));
    return { model, columns, walker: createWasmTreeWalker(model) };
  });
}

/** Describes the candidates of every target with their features, which are kept for all folds that are tested on the window. */
export function describe(opened, neighbours) {
  const kernel = new CombinedFeatures(opened.reference);
  return new Map(
    Array.from(opened.targets, (protein) => [protein, kernel.describe(queryOf(opened, neighbours, protein))]),
  );
}

/** Predicts by the model alone, over the candidates of all aspects, whose rows begin with the columns of the combination. */
export function modelScores(byAspect, models, width = combinedFeatures.length) {
  const parts = byAspect.map(({ terms, features }, a) => {
    const { model, columns, walker } = models[a];
    const matrix = new Float64Array(terms.length * columns.length);
    for (let row = 0; row < terms.length; row++)
      columns.forEach((column, i) => (matrix[row * columns.length + i] = features[row * width + column]));
    return { terms, score: predictWith(walker, model, matrix) };
  });
  return {
    term: Int32Array.from(parts.flatMap(({ terms }) => [...terms])),
    score: Float64Array.from(parts.flatMap(({ score }) => [...score])),
  };
}

/**
 * Predicts by model and votes with own annotations in one score. `votesShare` weighs the votes (the product's is one half); 0 is the
 * model alone, 1 the votes alone.
 */
export function combined({ graph }, opened, neighbours, { described, models, votesShare = 0.5 }) {
  const rows = new Rows();
  const closure = graph.ancestorClosure();
  const scratch = new Int32Array(graph.size).fill(-1);
  const kernel = new UntrainedVotes(opened.reference);
  for (const protein of opened.targets) {
    const query = queryOf(opened, neighbours, protein);
    const model = modelScores(described.get(protein), models);
    const votes = kernel.score(query, { by: 'alignment', withOwn: true });
    const { term, score } = combinedScores(model, votes, query.own, { closure, scratch, votesShare });
    term.forEach((t, i) => rows.add(protein, t, score[i]));
  }
  return rows;
}

/**
 * Returns the name of each method of the tables and its predictions for the targets of a window.
 *
 * @param options.modelsOf the models that score a window
 * @param options.hits the hits of blastp.mjs, null if it was not run
 * @param options.golden whether blastp's predictions for E. coli are used, which are among the shared data
 */
export function tableMethods(data, neighbours, { modelsOf, shared, golden, hits }) {
  const described = new Map();
  const predicted = (opened, votesShare) => {
    if (!described.has(opened)) described.set(opened, describe(opened, neighbours));
    const models = modelsOf(opened.window);
    return combined(data, opened, neighbours, { described: described.get(opened), models, votesShare });
  };
  return {
    naive: (opened) => naive(opened),
    'sequence similarity': (opened) => sequenceSimilarity(opened, neighbours),
    ...(hits === null ? {} : { blastp: (opened) => blastp(opened, hits) }),
    ...(golden ? { 'blastp (E. coli and yeast)': () => goldenBlast(data, shared) } : {}),
    'own electronic terms': (opened) => ownElectronic(opened),
    'votes by alignment': (opened) =>
      votes(opened, neighbours, { by: 'alignment', groupWeights: experimentalOnly }),
    'votes by distance': (opened) =>
      votes(opened, neighbours, { by: 'distance', groupWeights: experimentalOnly }),
    '*bare sequence*': (opened) => votes(opened, neighbours, {}),
    '*own as one more vote*': (opened) => votes(opened, neighbours, { by: 'alignment', withOwn: true }),
    'model alone': (opened) => predicted(opened, 0),
    '**combined**': (opened) => predicted(opened, 0.5),
  };
}
