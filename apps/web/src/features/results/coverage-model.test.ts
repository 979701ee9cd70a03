import { expect, it } from 'vitest';
import { bareParts, coverageSentence, signatureRows } from './coverage-model.js';

const source = (start: number, end: number, bits = 200) => ({
  accession: 'P00001',
  terms: 1,
  start,
  end,
  source_start: 1,
  source_end: end - start + 1,
  source_length: 500,
  identity: 0.4,
  bits,
});

it('finds the parts that no source covers clearly', () => {
  expect(bareParts({ length: 300, sources: [source(1, 300)] })).toEqual([]);
  expect(bareParts({ length: 300, sources: [source(200, 280), source(20, 90), source(50, 100)] })).toEqual([
    { start: 101, end: 199 },
  ]);
  expect(bareParts({ length: 300, sources: [source(1, 100), source(101, 300, 30)] })).toEqual([
    { start: 101, end: 300 },
  ]);
  // A source inside a longer one does not open what the longer one covers.
  expect(bareParts({ length: 300, sources: [source(1, 300), source(5, 20)] })).toEqual([]);
});

it('says what the predictions rest on', () => {
  expect(coverageSentence({ length: 300, sources: [] })).toMatch(/^No source .* can be aligned/);
  expect(coverageSentence({ length: 300, sources: [source(1, 90, 30)] })).toMatch(/may be chance/);
  expect(coverageSentence({ length: 300, sources: [source(3, 290)] })).toBe(
    'The sources cover the whole protein of 300 residues.',
  );
  expect(coverageSentence({ length: 300, sources: [source(100, 290)] })).toMatch(
    /^No source covers residues 1 to 99 of 300:/,
  );
});

it('gathers the places of a signature, each once', () => {
  const match = (signature: string, start: number) => ({
    database: 'Pfam',
    signature,
    interpro_entry: 'IPR000001',
    interpro_release: '108.0',
    start,
    end: start + 20,
  });
  expect(signatureRows([match('PF1', 1), match('PF2', 5), match('PF1', 40), match('PF1', 40)])).toEqual([
    {
      database: 'Pfam',
      signature: 'PF1',
      entry: 'IPR000001',
      parts: [
        { start: 1, end: 21 },
        { start: 40, end: 60 },
      ],
    },
    { database: 'Pfam', signature: 'PF2', entry: 'IPR000001', parts: [{ start: 5, end: 25 }] },
  ]);
});
