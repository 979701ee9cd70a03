import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphabetSize, alignPlain, defaultScoring, encodeResidues, traceAlignment } from './index.js';

const sequence = fc
  .array(fc.constantFrom(...'ARNDWCK'), { minLength: 1, maxLength: 40 })
  .map((letters) => encodeResidues(letters.join('')));

describe('a traced alignment', () => {
  it('has the best score, and its columns add up to it', () => {
    fc.assert(
      fc.property(sequence, sequence, (query, target) => {
        const traced = traceAlignment(query, target, defaultScoring);
        expect(traced?.score ?? 0).toBe(alignPlain(query, target, 'local').score);
        if (traced === null) return;
        let sum = 0;
        let gap = '';
        traced.query.forEach((a, column) => {
          const b = traced.target[column];
          const kind = a < 0 ? 'query' : b < 0 ? 'target' : '';
          if (kind === '') sum += defaultScoring.matrix[a * alphabetSize + b];
          else sum -= kind === gap ? defaultScoring.gapExtend : defaultScoring.gapOpen;
          gap = kind;
        });
        expect(sum).toBe(traced.score);
        const residues = (row: Int8Array) => Uint8Array.from(row.filter((code) => code >= 0));
        const end = traced.queryStart + traced.queryResidues;
        expect(residues(traced.query)).toEqual(query.slice(traced.queryStart, end));
        const targetEnd = traced.targetStart + traced.targetResidues;
        expect(residues(traced.target)).toEqual(target.slice(traced.targetStart, targetEnd));
      }),
    );
  });
});
