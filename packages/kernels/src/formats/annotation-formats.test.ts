import { readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { parseEcoMapping } from './eco-mapping.js';
import { readExternal2Go } from './external2go.js';
import type { Rejection } from './format-error.js';
import { readGpad } from './gpad.js';
import { readQuickGo } from './quickgo.js';
import type { ParsedBatch } from './read-batches.js';

async function collect<T>(batches: AsyncGenerator<ParsedBatch<T>>) {
  const records: T[] = [];
  const rejected: Rejection[] = [];
  let header: Record<string, string> = {};
  for await (const batch of batches) {
    records.push(...batch.records);
    rejected.push(...batch.rejected);
    header = batch.header;
  }
  return { records, rejected, header };
}

function data(...parts: string[]): Uint8Array {
  const path = sharedData('data', ...parts) as string;
  return path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path);
}
const absent = sharedData() === null;

describe('parseEcoMapping', () => {
  it('reads pairs and both published layouts, Default before GO_REF', () => {
    const { codeOf, rejected } = parseEcoMapping(
      '# comment\nECO:0000314 IDA\n\nIEA\tGO_REF:0000002\tECO:0000256\nIEA\tDefault\tECO:0000501\n' +
        'ECO:0000270\tIEP\tDefault\nISS\tGO_REF:0000011\tECO:0000250\nISO\tDefault\tECO:0000250\nECO:0000314 IMP\nECO:1 IDA\n',
    );
    expect(Object.fromEntries(codeOf)).toEqual({
      'ECO:0000314': 'IDA',
      'ECO:0000501': 'IEA',
      'ECO:0000270': 'IEP',
      'ECO:0000250': 'ISO',
      'ECO:0000256': 'IEA',
    });
    expect(rejected.map((r) => [r.line, r.record])).toEqual([
      [9, 'ECO:0000314'],
      [10, null],
    ]);
  });
});

describe('readGpad', () => {
  const second = (...cells: string[]) => `!gpad-version: 2.0\n${cells.join('\t')}`;
  const good = [
    'MGI:MGI:1',
    'NOT',
    'RO:0002331',
    'GO:0005515',
    'PMID:1',
    'ECO:0000314',
    '',
    '',
    '2020-01-31',
    'MGI',
    '',
    '',
  ];

  it('reads version 2.0: ids with colons, negation, relation ids, ISO dates', async () => {
    const codeOfEco = new Map([['ECO:0000314', 'IDA']]);
    const { records, rejected } = await collect(readGpad(second(...good), { codeOfEco }));
    expect(rejected).toEqual([]);
    expect(records[0]).toMatchObject({
      line: 2,
      database: 'MGI',
      accession: 'MGI:1',
      qualifier: 'NOT|involved_in',
      negated: true,
      evidenceCode: 'IDA',
      ecoId: 'ECO:0000314',
      annotationDate: '20200131',
      aspect: null,
      extension: null,
    });
    const unmapped = await collect(readGpad(second(...good.with(5, 'ECO:0005589'))));
    expect(unmapped.records[0].evidenceCode).toBe('ECO:0005589');
    const withCode = await collect(
      readGpad(second(...good.with(11, 'a=b|go_evidence=IMP|c=d')), { codeOfEco }),
    );
    expect(withCode.records[0].evidenceCode).toBe('IMP');
  });

  it.each([
    [good.slice(0, 9), /expected 10 to 12 tab-separated columns, found 9/],
    [[...good, 'x'], /found 13/],
    [good.with(0, 'P12345'), /column 1: expected a database, found "P12345"/],
    [good.with(3, 'DOID:1'), /column 4/],
    [good.with(5, 'ECO:1'), /column 6/],
    [good.with(8, '31.01.2020'), /column 9/],
    [good.with(8, '2020-02-30'), /column 9: expected a date YYYYMMDD or YYYY-MM-DD, found "2020-02-30"/],
  ])('rejects %j', async (cells, reason) => {
    const { records, rejected } = await collect(readGpad(second(...cells)));
    expect(records).toEqual([]);
    expect(rejected[0].reason).toMatch(reason);
  });

  it.skipIf(absent)('reads published files of 1.1 and 1.2', async () => {
    const goa = await collect(readGpad(data('formats/biopython/UniProt/goa_yeast.gpa.59.gpa.gz')));
    expect([goa.records.length, goa.rejected.length]).toEqual([300, 0]);
    expect(goa.records[0]).toMatchObject({
      accession: 'A0A023PXA5',
      qualifier: 'enables',
      evidenceCode: 'ND',
    });
    const pombe = await collect(readGpad(data('formats/ontobio/truncated-pombase.gpad.gz')));
    expect([pombe.records.length, pombe.rejected.length]).toEqual([1984, 0]);
    const keep = (accession: string) => accession === 'SPAC977.10';
    const one = await collect(readGpad(data('formats/ontobio/truncated-pombase.gpad.gz'), { keep }));
    expect(one.records).toEqual(pombe.records.filter((r) => keep(r.accession)));
    // Four of the rows have empty cells after column 12.
    const mouse = await collect(readGpad(data('formats/ontobio/mgi.test.gpad')));
    expect([mouse.records.length, mouse.rejected.length]).toEqual([231, 0]);
  });
});

describe('readQuickGo', () => {
  it('finds columns by name and names faults', async () => {
    const text = [
      'GO TERM\tGENE PRODUCT ID\tECO ID\tDATE\tQUALIFIER',
      'GO:0005515\tP12345-2\tECO:0000314\t20200131\tNOT|enables',
      'GO:5\tP1\tECO:0000314\t20200131\t',
      'GO:0005515\tP1\t\t20200131\t',
      'GO:0005515\tP1\tECO:0000314\t2020\t',
      'GO:0005515\tP1',
    ].join('\n');
    const codeOfEco = new Map([['ECO:0000314', 'IDA']]);
    const { records, rejected } = await collect(readQuickGo(text, { codeOfEco }));
    expect(records).toEqual([
      {
        line: 2,
        database: 'UniProtKB',
        accession: 'P12345-2',
        qualifier: 'NOT|enables',
        negated: true,
        goId: 'GO:0005515',
        dbReference: null,
        evidenceCode: 'IDA',
        ecoId: 'ECO:0000314',
        withFrom: null,
        aspect: null,
        taxonId: null,
        annotationDate: '20200131',
        assignedBy: null,
        extension: null,
        geneProductForm: null,
      },
    ]);
    expect(rejected.map((r) => `${r.line} ${r.reason.slice(0, 16)}`)).toEqual([
      '3 GO TERM: expecte',
      '4 GO EVIDENCE CODE',
      '5 DATE: expected a',
      '6 expected 5 tab-s',
    ]);
    await expect(collect(readQuickGo('A\tGO TERM\n'))).rejects.toThrowError(
      /line 1: expected the column names .* missing GENE PRODUCT ID, GO EVIDENCE CODE or ECO ID/,
    );
    expect((await collect(readQuickGo(''))).records).toEqual([]);
  });

  it.skipIf(absent)('reads 48 downloads: 767 rows, two of them NOT', async () => {
    const folder = sharedData('data', 'quickgo-uniprot') as string;
    const all = [];
    for (const name of readdirSync(folder).filter((file) => file.endsWith('-goa.tsv'))) {
      const { records, rejected } = await collect(readQuickGo(data('quickgo-uniprot', name)));
      expect(rejected).toEqual([]);
      all.push(...records);
    }
    expect(all.length).toBe(767);
    expect(all.filter((r) => r.negated).length).toBe(2);
    expect(all.every((r) => r.aspect !== null && r.taxonId !== null && r.ecoId !== null)).toBe(true);
  });
});

describe('readExternal2Go', () => {
  it('reads a pair with > and ; in its names and names faults', async () => {
    const text =
      '!date: 2022/10/05\nInterPro:IPR1 a > b ; c > GO:x ; y > z ; GO:0003677\nEC:1.-.-.- > GO:n ; GO:0008748\nx\nA:1 b > GO:n ; GO:1';
    const { records, rejected, header } = await collect(readExternal2Go(text));
    expect(records).toEqual([
      {
        line: 2,
        database: 'InterPro',
        externalId: 'IPR1',
        externalName: 'a > b ; c',
        goName: 'x ; y > z',
        goId: 'GO:0003677',
      },
      { line: 3, database: 'EC', externalId: '1.-.-.-', externalName: null, goName: 'n', goId: 'GO:0008748' },
    ]);
    expect(rejected.map((r) => r.line)).toEqual([4, 5]);
    expect(header.date).toBe('2022/10/05');
  });

  it.skipIf(absent).each([
    ['interpro2go.gz', 30_205],
    ['pfam2go.gz', 10_095],
    ['external2go-2016-06/interpro2go.gz', 31_666],
    ['external2go-2016-06/ec2go.gz', 5347],
    ['external2go-2016-06/hamap2go.gz', 6766],
    ['external2go-2016-06/kegg2go.gz', 1808],
    ['external2go-2016-06/rhea2go.gz', 2680],
    ['external2go-2016-06/uniprotkb_kw2go.gz', 817],
    ['external2go-2016-06/uniprotkb_sl2go.gz', 432],
  ])('%s: %i pairs', async (file, pairs) => {
    const { records, rejected } = await collect(readExternal2Go(data('interpro', file)));
    expect(rejected).toEqual([]);
    expect(records.length).toBe(pairs);
    if (file === 'interpro2go.gz') expect(new Set(records.map((r) => r.externalId)).size).toBe(14_548);
  });
});
