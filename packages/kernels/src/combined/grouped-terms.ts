import { GrowingInt32, GrowingUint8 } from '../arrays/index.js';
import type { TermRows } from '../ontology/index.js';

/** The propagated terms of proteins with their evidence. Those of protein p are [start[p] .. start[p + 1]), ascending, each once. */
export interface GroupedTerms {
  /** The start of each protein's terms, and the end of the last: Int32 [proteins + 1]. */
  start: Int32Array;
  terms: Int32Array;
  /** The mask of evidence groups of each term (bit g means that an annotation of group g is at the term or below it): Uint8 [terms]. */
  groups: Uint8Array;
}

/**
 * Merges the annotations of all evidence groups. Lists each term of a protein and all its ancestors once, without roots,
 * with the mask of the groups that state or imply it.
 *
 * The cost is the sum over annotations of the terms above them.
 * @param byGroup asserted terms of each protein, not propagated; entry g belongs to evidence group g
 * @param closure each term itself and all its ancestors
 * @param leftOut 1 for terms that are never listed (roots): Uint8 [terms]
 * @throws RangeError if the groups have different numbers of proteins
 */
export function groupTerms(
  byGroup: readonly TermRows[],
  closure: Readonly<TermRows>,
  leftOut: Uint8Array,
): GroupedTerms {
  const proteins = byGroup[0].start.length - 1;
  if (byGroup.some(({ start }) => start.length !== proteins + 1))
    throw new RangeError('the evidence groups list different numbers of proteins');
  const start = new Int32Array(proteins + 1);
  const mask = new Uint8Array(leftOut.length);
  const found: number[] = [];
  // Two arrays for each protein would be spread over the memory of the process, which then keeps most of it.
  const terms = new GrowingInt32();
  const groups = new GrowingUint8();
  for (let protein = 0; protein < proteins; protein++) {
    found.length = 0;
    byGroup.forEach((rows, group) => {
      for (let a = rows.start[protein]; a < rows.start[protein + 1]; a++) {
        const term = rows.terms[a];
        for (let c = closure.start[term]; c < closure.start[term + 1]; c++) {
          const above = closure.terms[c];
          if (leftOut[above]) continue;
          if (mask[above] === 0) found.push(above);
          mask[above] |= 1 << group;
        }
      }
    });
    for (const term of Int32Array.from(found).sort()) {
      terms.push(term);
      groups.push(mask[term]);
      mask[term] = 0;
    }
    start[protein + 1] = terms.length;
  }
  return { start, terms: terms.finish(), groups: groups.finish() };
}
