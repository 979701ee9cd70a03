// Reads the scores that bare_train.py gave the candidates of proteins, and joins them with the scores that they are measured by.
import { combinedScores } from '@kindred/kernels/combined';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aspects } from './windows.mjs';

function numbersOf(path, type) {
  const bytes = readFileSync(path);
  return new type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Groups the scored terms of a window by protein: those of the model, of the votes, and of today's combination if there are any. */
function scoredTerms(path) {
  const rows = numbersOf(`${path}.rows`, Int32Array);
  const scores = numbersOf(`${path}.scores`, Float32Array);
  const found = new Map();
  const of = (protein) => {
    if (!found.has(protein)) {
      const none = () => ({ term: [], score: [] });
      found.set(protein, { model: none(), votes: none(), today: none(), candidates: new Set() });
    }
    return found.get(protein);
  };
  scores.forEach((score, i) => {
    const { model, candidates } = of(rows[5 * i]);
    model.term.push(rows[5 * i + 1]);
    model.score.push(score);
    candidates.add(rows[5 * i + 1]);
  });
  for (const column of ['votes', 'today'].filter((name) => existsSync(`${path}.${name}`))) {
    const values = numbersOf(`${path}.${column}`, Float32Array);
    for (let i = 0; i < values.length; i += 3) {
      const { [column]: one } = of(values[i]);
      one.term.push(values[i + 1]);
      one.score.push(values[i + 2]);
    }
  }
  return found;
}

/** The ways to score a protein with a model of eukaryotes. */
const modelMethods = {
  'quarter of votes': ({ model, votes }, place) =>
    combinedScores(model, votes, null, { ...place, votesShare: 0.25 }),
  model: ({ model, votes }, place) => combinedScores(model, votes, null, { ...place, votesShare: 0 }),
};
/** The ways to score a bare sequence, and a known protein; the first is what the others are measured by. */
export const methodsOf = {
  bare: {
    votes: ({ votes }) => votes,
    mean: ({ model, votes }, place) => combinedScores(model, votes, null, place),
    ...modelMethods,
  },
  known: {
    today: ({ today }) => today,
    mean: ({ model, today }, place) => combinedScores(model, today, null, place),
    ...modelMethods,
  },
};

/**
 * Visits the scored terms of each protein and aspect of a window, by one of the methods.
 *
 * @param visit called with the protein, the number of the aspect, its terms, their scores, and the set of the model's candidates
 */
export function eachScored({ graph }, out, { window, density, method, kind = 'bare' }, visit) {
  const place = { closure: graph.ancestorClosure(), scratch: new Int32Array(graph.size).fill(-1) };
  aspects.forEach((aspect, a) => {
    for (const [protein, scored] of scoredTerms(join(out, `${window.name}.${density}.${aspect}`))) {
      const { term, score } = methodsOf[kind][method](scored, place);
      const kept = [...term.keys()].filter((i) => graph.aspects[term[i]] === aspect);
      visit(protein, a, {
        terms: kept.map((i) => term[i]),
        scores: kept.map((i) => score[i]),
        candidates: scored.candidates,
      });
    }
  });
}
