import { describe, expect, it } from 'vitest';
import { accessionList, strangerSentence } from './index.js';

it.each([
  ['P12345\nq9nae2\n', ['P12345', 'Q9NAE2']],
  ['# mine\r\nP12345-2, A0A024R1R8; P12345-2\r\n', ['P12345-2', 'A0A024R1R8']],
  ['\ufeffP12345', ['P12345']],
])('reads %j', (text, accessions) => expect(accessionList(text)).toEqual(accessions));

it.each(['', '# P12345\n', 'MKTAYIAKQR', 'P12345\nMKTAYIAKQR\n', 'P12345-0', '>P12345\nMK', 'b0001'])(
  'does not take %j for accessions',
  (text) => expect(accessionList(text)).toBeNull(),
);

describe('almost a list of accessions', () => {
  it.each([
    ['Entry\nP70001\nP70002\n', ['P70001', 'P70002']],
    ['P70001.2\nP70002\n', ['P70001', 'P70002']],
    ['UniProtKB:P70001\n', ['P70001']],
    ['"P70001"\n"P70002"\n', ['P70001', 'P70002']],
    ["'P70001','P70002'", ['P70001', 'P70002']],
    ['sp|P70001|A_HUMAN tr|A0A0A0A001|B_HUMAN', ['P70001', 'A0A0A0A001']],
    ['uniprot:P70001-2;P70002.15', ['P70001-2', 'P70002']],
    ['Accession\r\nP70001\r\n', ['P70001']],
    ['"UniProt ID"\n"P70001"\n', ['P70001']],
    ['Gene Names\tEntry\tLength\nabc\tP70001\t90\ndef\tP70002\t80\n', ['P70001', 'P70002']],
    ['\ufeff# mine\nEntry,Name\nP70001,x\n', ['P70001']],
  ])('%j is read', (text, accessions) => {
    expect(accessionList(text)).toEqual(accessions);
  });

  it.each([
    'Entry\n',
    'Entry\nmine\n',
    'P70001 x',
    'P70001|P70002',
    '>sp|P70001|A\nMKV',
    'NP_000001.1\n',
    'P70001.x',
  ])('%j is none', (text) => {
    expect(accessionList(text)).toBeNull();
  });
});

it('names the first word of a list that is no accession', () => {
  expect(strangerSentence('P70001\n# mine\nP70002 abc\n')).toMatch(
    /^line 3: "abc" is not a UniProt accession/,
  );
  expect(strangerSentence('Entry\nP70001\nNA\n')).toMatch(/^line 3: "NA" is not a UniProt accession/);
  expect(strangerSentence('Gene\tEntry\nx\tP70001\ny\tmine\n')).toMatch(/^line 3: "mine"/);
  for (const word of ['P70001|P70002', 'P70001/P70002', 'P70001:1-20'])
    expect(strangerSentence(`${word}\n`)).toMatch(/^line 1: .*separate accessions by commas/);
  for (const text of ['abc P70001', 'MKV', '', 'P70001', 'ID\nb0001\n', 'UniRef90_P70001', 'Entry\nP70001\n'])
    expect(strangerSentence(text)).toBeNull();
});
