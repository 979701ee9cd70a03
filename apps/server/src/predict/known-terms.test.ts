import { expect, it } from 'vitest';
import type { KnownProtein } from './banks/known-proteins.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import { knownTerms } from './known-terms.js';

/** A has term 5 by experiment and 6 without; B has 7 by experiment. */
const bank = {
  texts: { accessions: ['A', 'B'], evidenceCodes: ['IDA', 'IEA'] },
  arrays: {
    termStart: Int32Array.of(0, 2, 3),
    terms: Int32Array.of(5, 6, 7),
    evidence: Int32Array.of(0, 1, 0),
  },
} as unknown as ReferenceBank;

const known = (reference: number, by: KnownProtein['by']) => ({
  protein: { reference, by, likeness: null },
  isNamesake: false,
});

it('knows what experiments say of a query under its own name, whatever else is named so', () => {
  const stranger = { protein: null, isNamesake: true };
  const { start, terms } = knownTerms(
    [known(0, 'accession'), stranger, known(1, 'alignment'), known(1, 'sequence')],
    bank,
  );
  expect([...start]).toEqual([0, 1, 1, 2, 2]);
  expect([...terms]).toEqual([5, 7]);
});
