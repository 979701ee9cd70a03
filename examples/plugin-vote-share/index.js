// This file is a whole runner: a term is scored by the share of the nearest proteins that carry it.
import { z } from '@kindred/contracts';

const parameters = z.strictObject({
  minimum_share: z.number().min(0).max(1).default(0).meta({
    description: 'Leave out terms that a smaller share of the neighbours carries',
  }),
});

const settings = z.strictObject({
  pseudocount: z.number().min(0, 'must be 0 or more').default(0).meta({
    description: 'Neighbours without any term that are added to those found, so that few neighbours count less',
    example: '1',
  }),
});

const runner = (pseudocount) => ({
  async run(input, signal) {
    const rows = [];
    for (let query = 0; query < input.nQuery; query++) {
      signal?.throwIfAborted();
      rows.push(...termsOfQuery(input, query, pseudocount));
    }
    return {
      query: Int32Array.from(rows, (row) => row.query),
      term: Int32Array.from(rows, (row) => row.term),
      score: Float64Array.from(rows, (row) => row.score),
      source: Int32Array.from(rows, (row) => row.source),
      distance: Float32Array.from(rows, (row) => row.distance),
    };
  },
});

/** Returns the terms of the neighbours by falling share, each with the nearest protein that carries it. */
function termsOfQuery({ parameters: chosen = {}, ...input }, query, pseudocount) {
  const found = new Map();
  let count = 0;
  for (let place = query * input.k; place < (query + 1) * input.k; place++) {
    const neighbour = input.neighbours[place];
    if (neighbour < 0) break;
    count++;
    for (const [term, source] of termsOfNeighbour(input, neighbour)) {
      const row = found.get(term) ?? { query, term, votes: 0, source, distance: input.distances[place] };
      row.votes++;
      found.set(term, row);
    }
  }
  return [...found.values()]
    .map((row) => ({ ...row, score: row.votes / (count + pseudocount) }))
    .filter((row) => row.score >= (chosen.minimum_share ?? 0))
    .sort((a, b) => b.score - a.score || a.term - b.term);
}

/** Returns the terms of all proteins that have the neighbour's sequence, each with the first of them that carries it. */
function termsOfNeighbour({ termStart, terms, negated, aspect, termAspect, sharing }, neighbour) {
  const found = new Map();
  for (const protein of proteinsLike(neighbour, sharing))
    for (let at = termStart[protein]; at < termStart[protein + 1]; at++) {
      const isAsked = aspect === undefined || termAspect[terms[at]] === aspect;
      if (isAsked && !negated?.[at] && !found.has(terms[at])) found.set(terms[at], protein);
    }
  return found;
}

function proteinsLike(neighbour, sharing) {
  if (sharing === undefined) return [neighbour];
  const { start, members } = sharing.groups;
  const sequence = sharing.sequence[neighbour];
  return members.subarray(start[sequence], start[sequence + 1]);
}

export const plugin = {
  kind: 'runner',
  name: 'vote-share',
  version: '1.0.0',
  description: 'Share of the neighbours that carry a term: an example',
  citations: [],
  parameters,
  settings,
  load: async (context) => runner(context.settings.pseudocount),
};
