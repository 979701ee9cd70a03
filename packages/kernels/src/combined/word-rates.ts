import { leastProteins, type PointsByProtein, shareIntervals } from '../calibration/index.js';
import { certaintyOf, type StandingOfTerm, standingsOfTerms } from './vocabulary/certainty.js';
import { type ProbabilityMeaning, probabilityMeanings } from './vocabulary/probability-meaning.js';

/** A term that an answer shows, of a protein whose own annotations the answer did not see. */
export interface ShownCall {
  /** The number of the protein, 0 or more. */
  protein: number;
  /** The probability that is shown; null: not calibrated. */
  probability: number | null;
  /** Whether the protein's own annotations bear the call out in each sense; null: they say nothing of the aspect, so it does not count. */
  isRight: Readonly<Record<ProbabilityMeaning, boolean | null>>;
}

/** How often the calls of one word were right, in one sense. */
export interface WordRate {
  meaning: ProbabilityMeaning;
  word: StandingOfTerm;
  proteins: number;
  calls: number;
  /** The mean of the probabilities that were shown; null without one. */
  said: number | null;
  /** The share of right calls with its 95 % interval over proteins; null if fewer than 100 proteins have such a call. */
  right: number | null;
  low: number | null;
  high: number | null;
}

interface Group extends PointsByProtein {
  said: number;
}

/**
 * Counts how often shown calls were right, by sense and by word. The words come in their order; a word without a call is left out.
 * Cost: that of `shareIntervals`.
 */
export function wordRates(calls: readonly ShownCall[], signal?: AbortSignal): WordRate[] {
  return probabilityMeanings.flatMap((meaning) => {
    const groups = new Map<StandingOfTerm, Group>();
    for (const { protein, probability, isRight } of calls) {
      const outcome = isRight[meaning];
      if (outcome === null) continue;
      const word = certaintyOf(probability) ?? 'not calibrated';
      const group = groups.get(word) ?? { right: 0, count: 0, said: 0, members: new Map() };
      const own = group.members.get(protein) ?? { count: 0, right: 0 };
      group.members.set(protein, { count: own.count + 1, right: own.right + Number(outcome) });
      group.count++;
      group.right += Number(outcome);
      group.said += probability ?? 0;
      groups.set(word, group);
    }
    const found = standingsOfTerms.flatMap((word) => {
      const group = groups.get(word);
      return group === undefined ? [] : [{ word, group }];
    });
    const proteins = new Set(found.flatMap(({ group }) => [...group.members.keys()]));
    const bounds = shareIntervals(
      found.map(({ group }) => group),
      proteins,
      signal === undefined ? {} : { signal },
    );
    return found.map(({ word, group }, at): WordRate => {
      const isEnough = group.members.size >= leastProteins;
      return {
        meaning,
        word,
        proteins: group.members.size,
        calls: group.count,
        said: word === 'not calibrated' ? null : group.said / group.count,
        right: isEnough ? group.right / group.count : null,
        low: isEnough ? bounds[at].low : null,
        high: isEnough ? bounds[at].high : null,
      };
    });
  });
}
