import { indexOfSorted } from '@kindred/kernels/arrays';
import { experimentalEvidence } from '@kindred/contracts';
import type { TermLists } from '@kindred/kernels/features';
import type { ReferenceBank } from './compute/reference-bank.js';

/**
 * The terms that the reference set knows of each query by experiment: those of the protein of its accession. A query that
 * is not a protein of the set has none. Numbered as in the bank; rows in the order of `accessions`.
 */
export function knownTerms(accessions: readonly string[], { arrays, texts }: ReferenceBank): TermLists {
  const experimental = texts.evidenceCodes.map((code) =>
    (experimentalEvidence as readonly string[]).includes(code),
  );
  const start = new Int32Array(accessions.length + 1);
  const terms: number[] = [];
  accessions.forEach((accession, query) => {
    const reference = indexOfSorted(texts.accessions, accession);
    if (reference >= 0) {
      for (let at = arrays.termStart[reference]; at < arrays.termStart[reference + 1]; at++)
        if (experimental[arrays.evidence[at]]) terms.push(arrays.terms[at]);
    }
    start[query + 1] = terms.length;
  });
  return { start, terms: Int32Array.from(terms) };
}
