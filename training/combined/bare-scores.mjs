// Reads the scores that bare_train.py gave the candidates of bare sequences, and joins them with their votes.
import { combinedScores } from '@kindred/kernels/combined';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aspects } from './windows.mjs';

function numbersOf(path, type) {
  const bytes = readFileSync(path);
  return new type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Groups the scored terms of a window by protein: those of the model, and those of the votes. */
function scoredTerms(path) {
  const rows = numbersOf(`${path}.rows`, Int32Array);
  const scores = numbersOf(`${path}.scores`, Float32Array);
  const votes = numbersOf(`${path}.votes`, Float32Array);
  const found = new Map();
  const of = (protein) => {
    if (!found.has(protein))
      found.set(protein, {
        model: { term: [], score: [] },
        votes: { term: [], score: [] },
        candidates: new Set(),
      });
    return found.get(protein);
  };
  scores.forEach((score, i) => {
    const { model, candidates } = of(rows[5 * i]);
    model.term.push(rows[5 * i + 1]);
    model.score.push(score);
    candidates.add(rows[5 * i + 1]);
  });
  for (let i = 0; i < votes.length; i += 3) {
    const { votes: own } = of(votes[i]);
    own.term.push(votes[i + 1]);
    own.score.push(votes[i + 2]);
  }
  return found;
}

const none = { term: [], score: [] };

/** The ways to score a bare sequence. */
export const bareMethods = {
  votes: ({ votes }) => votes,
  model: ({ model }, place) =>
    combinedScores({ ...model, score: model.score.map((score) => 2 * score) }, none, null, place),
  mean: ({ model, votes }, place) => combinedScores(model, votes, null, place),
};

/**
 * Visits the scored terms of each protein and aspect of a window, by one of the methods.
 *
 * @param visit called with the protein, the number of the aspect, its terms, their scores, and the set of the model's candidates
 */
export function eachScored({ graph }, out, { window, density, method }, visit) {
  const place = { closure: graph.ancestorClosure(), scratch: new Int32Array(graph.size).fill(-1) };
  aspects.forEach((aspect, a) => {
    for (const [protein, scored] of scoredTerms(join(out, `${window.name}.${density}.${aspect}`))) {
      const { term, score } = bareMethods[method](scored, place);
      const kept = [...term.keys()].filter((i) => graph.aspects[term[i]] === aspect);
      visit(protein, a, {
        terms: kept.map((i) => term[i]),
        scores: kept.map((i) => score[i]),
        candidates: scored.candidates,
      });
    }
  });
}
