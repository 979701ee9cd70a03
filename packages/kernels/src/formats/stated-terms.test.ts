import { expect, it } from 'vitest';
import type { StatedTerm } from './stated-term.js';
import { detectStatedTermFormat, readStatedTerms, type StatedTermFormat } from './stated-terms.js';

async function read(text: string, format: StatedTermFormat) {
  const records: StatedTerm[] = [];
  const rejected: string[] = [];
  let skipped = 0;
  for await (const batch of readStatedTerms(text, format)) {
    records.push(...batch.records);
    rejected.push(...batch.rejected.map(({ line, reason }) => `${line}: ${reason}`));
    skipped += batch.skipped;
  }
  const terms = records.map(({ line, protein, goId, score, basis }) => [line, protein, goId, score, basis]);
  return { terms, rejected, skipped };
}
const emapperHead = (...names: string[]) =>
  `## emapper-2.1.12\n#query\tseed_ortholog\tevalue\t${names.join('\t')}\n`;

it('reads the terms of eggNOG-mapper by the names of its columns, and counts proteins without', async () => {
  const rows =
    'q1\t9606.X\t1e-50\tBCR\tGO:0005515,GO:0003824\r\nq2\t-\t-\tB\t-\nq3\t1.Y\t1\nq4\t1.Y\t1e-9\tA\tGO:12\n';
  const found = await read(`${emapperHead('Preferred_name', 'GOs')}${rows}## 4 queries scanned\n`, 'emapper');
  expect(found.terms).toEqual([
    [3, 'q1', 'GO:0005515', null, '9606.X (E-value 1e-50)'],
    [3, 'q1', 'GO:0003824', null, '9606.X (E-value 1e-50)'],
  ]);
  expect(found.skipped).toBe(1);
  expect(found.rejected).toEqual([
    '5: expected a protein and at least 5 columns, found 3',
    expect.stringMatching(/^6: .*GO:12/),
  ]);
  const older = '#query_name\tseed_eggNOG_ortholog\tseed_ortholog_evalue\tGO_terms\nq\ts\t0\tGO:0005515\n';
  expect((await read(older, 'emapper')).terms).toEqual([[2, 'q', 'GO:0005515', null, 's (E-value 0)']]);
});

it('refuses a table of eggNOG-mapper whose heading does not say where the terms are', async () => {
  await expect(read(emapperHead('EC'), 'emapper')).rejects.toThrow(/line 2: .*no column GOs/);
  await expect(read('q1\ts\t0\tGO:0005515\n', 'emapper')).rejects.toThrow(/line 1: .*before the heading/);
});

it('reads column 14 of InterProScan, with the source that version 6 writes behind an id', async () => {
  const row = (...end: string[]) =>
    ['p1', 'a'.repeat(32), '90', 'Pfam', 'PF00001', 'x', '1', '80', '1e-9', 'T', '01-01-2026', ...end].join(
      '\t',
    );
  const text = [
    row('IPR000001', 'name', 'GO:0005515(InterPro)|GO:0003824(PANTHER)|GO:0005515(PANTHER)'),
    row('-', '-', '-'),
    row(),
    'p1\tno md5',
  ].join('\n');
  expect(await read(text, 'interproscan')).toEqual({
    terms: [
      [1, 'p1', 'GO:0005515', null, 'PF00001 IPR000001'],
      [1, 'p1', 'GO:0003824', null, 'PF00001 IPR000001'],
    ],
    skipped: 2,
    rejected: ['4: expected the 11 to 15 columns of InterProScan, found 2'],
  });
});

it('reads the quoted terms of the matches in GFF3 of InterProScan, and no sequence', async () => {
  const row = (type: string, attributes: string) => `p1\tPfam\t${type}\t1\t80\t1e-9\t+\t.\t${attributes}`;
  const text = [
    '##gff-version 3',
    '##interproscan-version 5.59-91.0',
    '##sequence-region p1 1 300',
    row('polypeptide', 'ID=p1;md5=0'),
    row(
      'protein_match',
      'Target=p1 1 80;Ontology_term="GO:0005515","GO:0003824";ID=m1;Name=PF00001;Dbxref="Reactome:R-1","InterPro:IPR000001"',
    ),
    row('protein_match', 'ID=m2;Name=PTHR1;Ontology_term="GO:0003824(PANTHER)|GO:12"'),
    row('protein_match', 'ID=m3;Name=Coil'),
    'p1\tPfam',
    '##FASTA',
    '>p1',
    'MKV',
  ].join('\n');
  expect(await read(text, 'interproscan_gff3')).toEqual({
    terms: [
      [5, 'p1', 'GO:0005515', null, 'PF00001 IPR000001'],
      [5, 'p1', 'GO:0003824', null, 'PF00001 IPR000001'],
      [6, 'p1', 'GO:0003824', null, 'PTHR1'],
    ],
    skipped: 1,
    rejected: [expect.stringMatching(/^6: .*GO:12/), '8: expected the 9 columns of GFF3, found 2'],
  });
});

it('reads the JSON of InterProScan on one line or many, for every name of a sequence', async () => {
  const entry = { accession: 'IPR000001', goXRefs: [{ databaseName: 'GO', id: 'GO:0005515' }] };
  const matches = [
    { signature: { accession: 'PF00001', entry }, goXRefs: [] },
    { signature: { accession: 'PTHR1', entry: null }, goXRefs: [{ id: 'GO:0003824' }] },
    { signature: { accession: 'Coil', entry: null } },
  ];
  const results = [
    { matches: [], xref: [{ id: 'p0' }] },
    { matches, xref: [{ id: 'p1' }, { id: 'p2' }] },
  ];
  const found = {
    terms: [
      [2, 'p1', 'GO:0005515', null, 'PF00001 IPR000001'],
      [2, 'p2', 'GO:0005515', null, 'PF00001 IPR000001'],
      [2, 'p1', 'GO:0003824', null, 'PTHR1'],
      [2, 'p2', 'GO:0003824', null, 'PTHR1'],
    ],
    skipped: 2,
    rejected: [],
  };
  const whole = { 'interproscan-version': '5.59-91.0', results };
  for (const text of [JSON.stringify(whole), JSON.stringify(whole, null, 2), JSON.stringify(results)])
    expect(await read(text, 'interproscan_json')).toEqual(found);
  await expect(read('{"results": [{"matches": []}]}', 'interproscan_json')).rejects.toThrow(
    /result 1 has no xref/,
  );
  await expect(read('{"results": [', 'interproscan_json')).rejects.toThrow(/cannot be read.*or its TSV/);
  await expect(read('{"a": 1}', 'interproscan_json')).rejects.toThrow(/no list "results"/);
});

it('reads predictions in the form of CAFA between its headers and END', async () => {
  const rows =
    'T1 GO:0005515 0.75\nT1\tGO:0003824\t1.00\nT1 HP:0000001 0.5\nT1 GO:0003824 0\nT1 GO:1 1\nT1 GO:0003824\n';
  const found = await read(
    `AUTHOR me\nMODEL 1\nKEYWORDS sequence alignment.\n${rows}END\nT2 GO:0005515 1\n`,
    'cafa',
  );
  expect(found.terms).toEqual([
    [4, 'T1', 'GO:0005515', 0.75, null],
    [5, 'T1', 'GO:0003824', 1, null],
  ]);
  expect(found.skipped).toBe(1);
  expect(found.rejected).toEqual([
    expect.stringMatching(/^7: .*score above 0/),
    expect.stringMatching(/^8: .*GO:1/),
    '9: expected a protein, a term and a score',
  ]);
});

it.each([
  ['#query\tseed_ortholog', 'emapper'],
  [`p\t${'0'.repeat(32)}\t1`, 'interproscan'],
  ['##gff-version 3', 'interproscan_gff3'],
  ['{"interproscan-version":"5.59-91.0","results":[', 'interproscan_json'],
  ['[ {', 'interproscan_json'],
  ['AUTHOR me', 'cafa'],
  ['P1\tGO:0005515\t0.5', 'cafa'],
  ['## emapper-2.1.12', null],
  ['P1,GO:0005515', null],
])('recognises the format of %j', (line, format) => {
  expect(detectStatedTermFormat(line)).toBe(format);
});
