import { experimentalEvidence } from '@kindred/contracts';
import type { TermLists } from '@kindred/kernels/features';
import type { Known } from './banks/known-proteins.js';
import type { ReferenceBank } from './compute/reference-bank.js';

/**
 * Gives the terms that each query has by experiment in the reference, through the reference protein that it
 * is under its own name. Other queries have none. Terms have the numbers of the bank, and rows the order of
 * `queries`.
 */
export function knownTerms(queries: readonly Known[], { arrays, texts }: ReferenceBank): TermLists {
  const experimental = texts.evidenceCodes.map((code) =>
    (experimentalEvidence as readonly string[]).includes(code),
  );
  const start = new Int32Array(queries.length + 1);
  const terms: number[] = [];
  queries.forEach(({ protein }, query) => {
    if (protein !== null && protein.by !== 'sequence') {
      const { reference } = protein;
      for (let at = arrays.termStart[reference]; at < arrays.termStart[reference + 1]; at++)
        if (experimental[arrays.evidence[at]]) terms.push(arrays.terms[at]);
    }
    start[query + 1] = terms.length;
  });
  return { start, terms: Int32Array.from(terms) };
}
