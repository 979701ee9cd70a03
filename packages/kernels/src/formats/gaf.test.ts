import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import type { Rejection } from './format-error.js';
import { type GafOptions, type GafRecord, readGaf } from './gaf.js';
import type { TextSource } from './lines.js';

async function collect(source: TextSource, options?: GafOptions) {
  const records: GafRecord[] = [];
  const rejected: Rejection[] = [];
  let skipped = 0;
  let seen = 0;
  let header: Record<string, string> = {};
  for await (const batch of readGaf(source, options)) {
    records.push(...batch.records);
    rejected.push(...batch.rejected);
    skipped += batch.skipped;
    ({ seen, header } = batch);
  }
  return { records, rejected, skipped, seen, header };
}

function unpacked(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const row = (changes: Record<number, string> = {}, columns = 17) => {
  const cells = [
    'UniProtKB',
    'P12345',
    'GENE',
    'NOT|enables',
    'GO:0005515',
    'PMID:1',
    'IPI',
    'UniProtKB:P2|UniProtKB:P3',
    'F',
    'Name',
    'A|B',
    'protein',
    'taxon:9606|taxon:562',
    '20200131',
    'UniProt',
    'part_of(CL:1)',
    'UniProtKB:P12345-2',
  ].slice(0, columns);
  for (const [column, text] of Object.entries(changes)) cells[Number(column) - 1] = text;
  return cells.join('\t');
};

describe('readGaf', () => {
  it('reads every column', async () => {
    const { records, rejected, seen } = await collect(
      `!gaf-version: 2.2\n\n${row()}\n${row({ 4: '', 13: '' }, 15)}\n`,
    );
    expect(rejected).toEqual([]);
    expect(seen).toBe(4);
    expect(records[0]).toEqual({
      line: 3,
      database: 'UniProtKB',
      accession: 'P12345',
      symbol: 'GENE',
      qualifier: 'NOT|enables',
      negated: true,
      goId: 'GO:0005515',
      dbReference: 'PMID:1',
      evidenceCode: 'IPI',
      ecoId: null,
      withFrom: 'UniProtKB:P2|UniProtKB:P3',
      aspect: 'F',
      name: 'Name',
      synonyms: 'A|B',
      objectType: 'protein',
      taxonId: 9606,
      annotationDate: '20200131',
      assignedBy: 'UniProt',
      extension: 'part_of(CL:1)',
      geneProductForm: 'UniProtKB:P12345-2',
    });
    expect(records[1]).toMatchObject({
      qualifier: null,
      negated: false,
      taxonId: null,
      extension: null,
      geneProductForm: null,
    });
  });

  it.each([
    [row({}, 14), /expected 15 to 17 tab-separated columns, found 14/],
    [`${row()}\t\tx`, /found more than 17/],
    ['text', /found 1/],
    [row({ 1: '' }), /column 1: expected a database, found nothing/],
    [row({ 2: '' }), /column 2: expected an object id/],
    [row({ 5: 'GO:000551' }), /column 5: expected GO: and seven digits, found "GO:000551"/],
    [row({ 5: 'GO:00055155' }), /column 5/],
    [row({ 7: 'MADEUP' }), /column 7: expected an evidence code/],
    [row({ 7: 'ida' }), /column 7/],
    [row({ 9: 'BP' }), /column 9: expected an aspect P, F or C, found "BP"/],
    [row({ 9: '' }), /column 9/],
    [row({ 14: '2020-13-31' }), /column 14: expected a date YYYYMMDD or YYYY-MM-DD, found "2020-13-31"/],
    [row({ 14: '20201301' }), /column 14/],
    [row({ 14: '20201200' }), /column 14/],
    [row({ 14: '20200230' }), /column 14/],
    [row({ 14: '2020-02-30' }), /column 14: expected a date YYYYMMDD or YYYY-MM-DD, found "2020-02-30"/],
    [row({ 14: '20190229' }), /column 14/],
    [row({ 14: '19000229' }), /column 14/],
    [row({ 14: '20200631' }), /column 14/],
  ])('rejects with line and reason: %s', async (line, reason) => {
    const { records, rejected } = await collect(`${row()}\r\n${line}\r\n${row()}`);
    expect(records.map((r) => r.line)).toEqual([1, 3]);
    expect(rejected.length).toBe(1);
    expect(rejected[0].line).toBe(2);
    expect(rejected[0].reason).toMatch(reason);
  });

  it('leaves out what the caller does not keep, faulty or not', async () => {
    const text = [row(), row({ 2: 'Q1', 5: 'bad' }), row({ 1: 'MGI' }), 'Q1\t'].join('\n');
    const keep = (accession: string, database: string) => accession === 'P12345' && database === 'UniProtKB';
    const { records, rejected, skipped } = await collect(text, { keep });
    expect([records.length, rejected.length, skipped]).toEqual([1, 0, 3]);
  });

  it('reads every annotation of the shipped example', async () => {
    const bytes = unpacked(join(repositoryRoot(), 'examples', 'reference.gaf.gz'));
    const { records, rejected, header } = await collect(bytes);
    expect(rejected).toEqual([]);
    expect(records.length).toBe(77_317);
    expect(header['gaf-version']).toBe('2.2');
    expect(new Set(records.map((r) => r.accession)).size).toBe(4000);
    const aspects = { P: 0, F: 0, C: 0 };
    for (const record of records) aspects[record.aspect]++;
    expect(aspects).toEqual({ P: 34_164, F: 18_402, C: 24_751 });
    expect(records.filter((r) => r.evidenceCode === 'IDA').length).toBe(16_392);
  });
});

const experimental = new Set('EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' '));

describe.skipIf(sharedData() === null)('readGaf on published files', () => {
  // Each case has a file, its rows, accessions, accessions with experimental evidence that is not negated, and NOT rows, as awk counted
  // them.
  it.each([
    ['ecoli-k12/18.E_coli_MG1655.2020-03-03.gaf.gz', 59_085, 3919, 3351, 14],
    ['ecoli-k12/18.E_coli_MG1655.2022-11-12.gaf.gz', 62_038, 3938, 3392, 15],
    ['yeast/71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz', 126_835, 6048, 5445, 37],
  ])('%s', async (file, rows, accessions, withExperiment, negated) => {
    const { records, rejected, header, seen } = await collect(unpacked(sharedData('data', file) as string));
    expect(rejected).toEqual([]);
    expect(records.length).toBe(rows);
    expect(seen).toBe(rows + 2);
    expect(new Set(records.map((r) => r.accession)).size).toBe(accessions);
    const shown = records.filter((r) => experimental.has(r.evidenceCode) && !r.negated);
    expect(new Set(shown.map((r) => r.accession)).size).toBe(withExperiment);
    expect(records.filter((r) => r.negated).length).toBe(negated);
    expect(header['gaf-version']).toBe('2.1');
    expect(header['go-version']).toContain(file.includes('2022') ? '2022-11-12' : '2020-03-03');
  });

  it.each([
    ['biopython/UniProt/gene_association.goa_yeast.1.gaf.gz', '2.0', 300],
    ['biopython/UniProt/goa_yeast.gaf.gz', '2.1', 587],
    ['ontobio/test-qualifiers.gaf', '2.1', 8],
    ['ontobio/test-qualifiers-2.2.gaf', '2.2', 9],
    ['ontobio/mgi.gaf', '2.2', 105],
    ['ontobio/zfin_test_gaf.gaf', '2.2', 2],
    ['ontobio/wb_single_iba.gaf', '2.1', 1],
    ['ontobio/pombase_single.gaf', '2.1', 1],
    ['ontobio/no-version.gaf', undefined, 6],
    ['ontobio/truncated-pombase.gaf', '2.1', 370],
  ])('%s of version %s', async (file, version, rows) => {
    const { records, rejected, header } = await collect(
      unpacked(sharedData('data', 'formats', file) as string),
    );
    expect(rejected).toEqual([]);
    expect(records.length).toBe(rows);
    expect(header['gaf-version']).toBe(version);
  });

  it('names every fault of a file made of faults', async () => {
    const { records, rejected } = await collect(
      unpacked(sharedData('data', 'formats/ontobio/errors.gaf') as string),
    );
    // The file has 11 rows. Four of the six accepted ones have a faulty extension, one has no symbol, and one an ISO date; this reader
    // does not check extensions and symbols.
    expect(records.map((r) => r.line)).toEqual([9, 15, 17, 19, 21, 25]);
    expect(rejected.map((r) => `${r.line} ${r.reason.split(/[:,]/)[0]}`)).toEqual([
      '7 column 5',
      '13 expected 15 to 17 tab-separated columns',
      '23 column 7',
      '27 column 14',
      '29 column 1',
    ]);
  });
});
