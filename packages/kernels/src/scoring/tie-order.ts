import type { TransferInput } from './types.js';

/**
 * A term that more than this share of references carry is not informative (protein binding, cytosol), so it comes last among equal
 * scores. docs/explanation/accuracy.md explains the choice of the number.
 */
export const commonTermShare = 0.2;

/**
 * Orders two terms of one query whose scores are equal: terms that are not common before those that are (see `commonTermShare`), then
 * more votes, then `firstAspect`, then the term that more references carry (the less specific and safer one), then GO id. The cost is
 * O(annotations) once if `termFrequency` is omitted, then O(1).
 * @returns negative where (termA, votesA) comes first
 */
export function tieOrder(input: TransferInput): (a: RankedTerm, b: RankedTerm) => number {
  const { annotations, firstAspect, termAspect, termOrder } = input;
  const frequency = input.termFrequency ?? termFrequencies(input);
  const common = commonTermShare * (annotations.start.length - 1);
  const isCommon = (term: number): number => (frequency[term] > common ? 1 : 0);
  const isOther = (term: number): number => (termAspect?.[term] === firstAspect ? 0 : 1);
  const place = (term: number): number => termOrder?.[term] ?? term;
  return (a, b) =>
    isCommon(a.term) - isCommon(b.term) ||
    b.votes - a.votes ||
    isOther(a.term) - isOther(b.term) ||
    frequency[b.term] - frequency[a.term] ||
    place(a.term) - place(b.term);
}

export interface RankedTerm {
  term: number;
  votes: number;
}

/** Returns the number of references that carry each term, without NOT annotations: Int32 [termCount]. */
export function termFrequencies({ annotations, termCount }: TransferInput): Int32Array {
  const { start, term, negated } = annotations;
  const frequency = new Int32Array(termCount);
  const lastReference = new Int32Array(termCount).fill(-1);
  for (let reference = 0; reference + 1 < start.length; reference++) {
    for (let at = start[reference]; at < start[reference + 1]; at++) {
      if (negated?.[at] || lastReference[term[at]] === reference) continue;
      lastReference[term[at]] = reference;
      frequency[term[at]]++;
    }
  }
  return frequency;
}
