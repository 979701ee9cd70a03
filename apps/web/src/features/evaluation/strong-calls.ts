import type { Aspect } from '@kindred/contracts';
import { calibrationRule } from '@kindred/contracts/calibration';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount, plural } from '../../shared/format.js';

/** The counts of the test of a calibration for an aspect, from one of the tests in `models/combined`. */
export interface TestedCalls {
  aspect: string;
  /** The number of calls with a probability of at least 80 %, and how many of them were right, in the sense of the test. */
  claimed: number;
  right: number;
  error: number;
  error_from_10: number;
}

/**
 * Says how many of the calls with a probability of at least 80 % were right, and whether the service shows such a probability.
 * @param isHeld whether right means that the databases hold the term, by any evidence, and not that an experiment showed it later
 */
export function strongCalls(tested: TestedCalls, isHeld = false): { share: string; sentence: string } {
  const name = aspectNames[tested.aspect as Aspect];
  const { claimed, right } = tested;
  if (claimed === 0) return { share: 'None', sentence: `${name}: no call had such a probability.` };
  return {
    share: `${Math.round((100 * right) / claimed)} of 100`,
    sentence: `${name}: ${formatCount(right)} of ${plural(claimed, 'such call')} ${claimed === 1 ? 'was' : 'were'} ${isHeld ? 'held by the databases' : 'confirmed by experiments later'}${hiddenBecause(tested)}.`,
  };
}

/** Says why these calls have no probability, by the rule in `docs/explanation/combined.md`. */
function hiddenBecause({ claimed, right, error, error_from_10 }: TestedCalls): string {
  if (Math.max(error, error_from_10) > calibrationRule.largestError)
    return '; other calls were off by too much, so all are shown as “not calibrated”';
  return right / claimed < calibrationRule.minRight ? ', too few: they are shown as “not calibrated”' : '';
}
