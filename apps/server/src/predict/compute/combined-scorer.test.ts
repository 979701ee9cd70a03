import {
  type CombinedQuery,
  countedSources,
  experimentalBit,
  ownTermsOf,
  votesShareOf,
} from '@kindred/kernels/combined';
import { ontologyColumns, parseObo } from '@kindred/kernels/ontology';
import { describe, expect, it } from 'vitest';
import { combinedModelsFolder } from '../../ground/folders.js';
import { CombinedScorer, readCombinedModels, readMethod } from './combined-scorer.js';
import { combinedReferenceTask } from './tasks/combined-reference.js';

/** The proteins in turn have the terms of a chain below the root of function; the first one is the query, with its parent by rule. */
const obo = ['GO:0003674', 'GO:0003824', 'GO:0016740', 'GO:0016301', 'GO:0004672']
  .map(
    (id, i, all) =>
      `[Term]\nid: ${id}\nname: term ${i}\nnamespace: molecular_function\n${i > 0 ? `is_a: ${all[i - 1]} ! \n` : ''}`,
  )
  .join('\n');
const electronic = 1 << 6;
const termsOf = [[2], [4], [4], [3], [2]];
const shared = await combinedReferenceTask.run(
  {
    ontology: ontologyColumns(parseObo(`format-version: 1.2\ndata-version: 2022-07-01\n\n${obo}`)),
    bank: {
      termStart: Int32Array.from([0, 1, 2, 3, 4, 5]),
      terms: Int32Array.from(termsOf.flat()),
      groups: Uint8Array.from([electronic, experimentalBit, experimentalBit, experimentalBit, electronic]),
      referenceTaxon: Int32Array.from([9606, 9606, 10090, 10090, 10090]),
    },
  },
  { aborted: () => false } as never,
);
const scorer = new CombinedScorer(shared, readCombinedModels(combinedModelsFolder));

/** Asks the first protein, with the others as its sources. */
function queryOf(isKnown: boolean, origin?: Uint8Array): CombinedQuery {
  const found = {
    aligned: {
      reference: Int32Array.from([1, 2, 3, 4]),
      logEValue: Float64Array.from([-60, -40, -20, -5]),
      identity: Float64Array.from([0.8, 0.6, 0.5, 0.3]),
      share: Float64Array.from([0.8, 0.6, 0.4, 0.1]),
      origin,
    },
    near: { reference: Int32Array.from([1, 3]), distance: Float64Array.from([0.2, 0.4]) },
    self: isKnown ? 0 : -1,
  };
  const sources = countedSources(found, shared.reference.speaks);
  const own = isKnown ? ownTermsOf(shared.reference, 0) : null;
  return { ...found, ...sources, own, organism: isKnown ? shared.reference.organism[0] : -1 };
}

describe.each([
  { isKnown: true, method: 'known' },
  { isKnown: false, method: 'bare' },
] as const)('a query of a eukaryote, scored as $method', ({ isKnown, method }) => {
  const query = queryOf(isKnown);
  const before = scorer.score(query);
  const answer = scorer.score(query, true);

  it('has scores of its own, and reads certainty and order from those without the model of eukaryotes', () => {
    expect([before.method, answer.method]).toEqual([readMethod[method], method]);
    expect(before.read).toEqual(before.score);
    const of = new Map(Array.from(before.term, (term, i) => [term, before.score[i]]));
    expect(Array.from(answer.read)).toEqual(Array.from(answer.term, (term) => of.get(term) ?? 0));
    expect(Array.from(answer.score)).not.toEqual(Array.from(answer.read));
  });

  it('explains them as votes and the model of its kind, by the share that was chosen', () => {
    for (const term of answer.term) {
      const explained = scorer.explain(query, term, true)!;
      expect([explained.method, explained.votesShare]).toEqual([method, votesShareOf[method]]);
      const { votes, votesShare, votesCount, model } = explained;
      const voted = votesCount
        ? votes.sources.reduce((sum, { added }) => sum + added, votes.prior + votes.own)
        : 0;
      expect(votesShare * voted + (1 - votesShare) * (model?.score ?? 0)).toBeCloseTo(explained.score, 9);
      expect(explained.score).toBe(answer.score[answer.term.indexOf(term)]);
    }
  });

  it('keeps the scores without it where another search changed its relatives', () => {
    const changed = queryOf(isKnown, Uint8Array.of(0, 1, 0, 0));
    expect(scorer.score(changed, true)).toEqual(scorer.score(changed));
  });
});
