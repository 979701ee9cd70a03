import { expect, it } from 'vitest';
import {
  emptySearchHitFile,
  NamedQueries,
  readSearchHits,
  type SearchHit,
  targetAccession,
} from './search-hits.js';

const line = (query: string, target: string, identity: string, eValue: string, bits: string) =>
  [query, target, identity, '100', '10', '0', '1', '100', '1', '100', eValue, bits].join('\t');

async function read(text: string) {
  const file = emptySearchHitFile();
  const hits: SearchHit[] = [];
  for await (const batch of readSearchHits(text, file)) hits.push(...batch);
  return { file, hits };
}

it('reads the tables of BLAST and of Foldseek', async () => {
  const blast = await read(
    `# BLASTP 2.12.0+\n# Fields: query acc.ver\n${line('q1', 'sp|P12345|A_B', '42.5', '1e-30', '120')}\r\n\n${line('q1', 'Q9Y2X3', '30', '0', '900')}`,
  );
  expect(blast.file).toEqual({ isPercent: true, hits: 2, program: 'BLASTP 2.12.0+' });
  expect(blast.hits).toEqual([
    { line: 3, query: 'q1', target: 'P12345', identity: 42.5, logEValue: expect.closeTo(-30), bits: 120 },
    { line: 5, query: 'q1', target: 'Q9Y2X3', identity: 30, logEValue: -180, bits: 900 },
  ]);
  const heading = ['query', 'target', 'fident', ...Array<string>(9).fill('x')].join('\t');
  const foldseek = await read(
    `${heading}\n${line('a.pdb', 'AF-P12345-F1-model_v4', '0.213', '1.2E-12', '300')}\n`,
  );
  expect(foldseek.file).toEqual({ isPercent: false, hits: 1, program: null });
  expect(foldseek.hits[0]).toMatchObject({ query: 'a.pdb', target: 'P12345', identity: 0.213 });
});

it.each([
  ['P12345', 'P12345'],
  ['P12345-2', 'P12345-2'],
  ['tr|A0A024R1R8|X_HUMAN', 'A0A024R1R8'],
  ['AF-A0A024R1R8-F1-model_v4', 'A0A024R1R8'],
  ['AF-P12345-F1-model_v6.cif.gz', 'P12345'],
  ['AF-P12345-F1-model_v4_A', 'P12345'],
  ['AF-P12345-2-F1', 'P12345-2'],
])('finds the accession of the target %s', (name, accession) => {
  expect(targetAccession(name)).toBe(accession);
});

it('finds queries by the name of their structure, but first by the name itself', () => {
  const found = (name: string, ...known: string[]) => new NamedQueries(new Set(known)).find(name);
  expect(found('my.protein', 'my.protein', 'my')).toBe('my.protein');
  expect(found('sp|Q8K450|NAME', 'Q8K450')).toBe('Q8K450');
  expect(found('Q8K450.pdb_A', 'Q8K450.pdb_A', 'Q8K450')).toBe('Q8K450.pdb_A');
  expect(found('Q8K450.pdb_A', 'Q8K450')).toBe('Q8K450');
  expect(found('AF-Q8K450-F1-model_v4.pdb', 'AF-Q8K450-F1-model_v4', 'Q8K450')).toBe('AF-Q8K450-F1-model_v4');
  expect(found('AF-Q8K450-F1-model_v4.pdb', 'Q8K450')).toBe('Q8K450');
  expect(found('Q8K450', 'P12345')).toBeNull();
});

it.each([
  ['a\tb\tc', 'line 1 (record a): expected the 12 columns'],
  [line('q', 't', '101', '1', '1'), 'column 3: expected an identity of 0 to 100, found "101"'],
  [line('q', 't', '', '1', '1'), 'column 3'],
  [line('q', 't', '50', '-1', '1'), 'column 11: expected an E-value of 0 or more'],
  [line('q', 't', '50', '1', 'x'), 'column 12: expected the bits of the hit'],
  [line('', 't', '50', '1', '1'), 'column 1: expected the name of a query'],
  [line('q', ' ', '50', '1', '1'), 'column 2: expected the name of a target'],
])('refuses %j', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

it('refuses TM-scores in the place of E-values', async () => {
  const rows = Array.from({ length: 12 }, (_, i) =>
    line('q', `T${i}`, '0.3', `${0.9 - i / 20}`, `${90 - i}`),
  );
  await expect(read(rows.join('\n'))).rejects.toThrow('line 2: column 11 grows with the bits of column 12');
  const real = Array.from({ length: 12 }, (_, i) => line('q', `T${i}`, '0.3', `1e-${30 - i}`, `${90 - i}`));
  expect((await read(real.join('\n'))).hits).toHaveLength(12);
});
