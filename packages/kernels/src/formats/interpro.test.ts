import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import {
  detectInterproFormat,
  type InterproMatch,
  readInterproOfGaf,
  readInterproScan,
  readProtein2Ipr,
} from './interpro.js';
import type { ParsedBatch } from './read-batches.js';

async function all(batches: AsyncIterable<ParsedBatch<InterproMatch>>) {
  const result = { records: [] as InterproMatch[], rejected: [] as string[], skipped: 0 };
  for await (const batch of batches) {
    result.records.push(...batch.records);
    result.rejected.push(...batch.rejected.map((one) => `${one.line}: ${one.reason}`));
    result.skipped += batch.skipped;
  }
  return result;
}

const md5 = '7bcb28d452c1f7ad86b5e0da7fa21fd3';
const scan = `sp|A2SLW2|1A1D_METPP\t${md5}\t338\tPfam\tPF00291\tPALP\t12\t321\t9.7e-43\tT\t03-09-2024\tIPR001926\tTrypB\t-\t-`;
const ipr = 'A0A000\tIPR003593\tAAA+ ATPase domain\tSM00382\t22\t200';
const gaf =
  'UniProtKB\tP1\tS\tenables\tGO:0003677\tGO_REF:0000002\tIEA\tInterPro:IPR000003|InterPro:IPR000536\tF\t\t\tprotein\ttaxon:1\t20221107\tInterPro\t\t';

describe('formats of InterPro matches', () => {
  it.each([
    [scan, 'interproscan'],
    [`A\t${md5}\t9\tCoils\tCoil\tCoil\t1\t9\t-\tT\t03-09-2024`, 'interproscan'],
    [ipr, 'protein2ipr'],
    ['!gaf-version: 2.2', 'gaf'],
    [gaf, 'gaf'],
    ['!comment', null],
    ['', null],
  ])('tells the format of %j', (line, format) => {
    expect(detectInterproFormat(line)).toBe(format);
  });

  it('reads the table of InterProScan', async () => {
    const { records, rejected } = await all(readInterproScan(`${scan}\n`));
    expect(rejected).toEqual([]);
    expect(records).toEqual([
      {
        line: 1,
        accession: 'A2SLW2',
        sequenceMd5: md5,
        sourceDb: 'PFAM',
        signatureAccession: 'PF00291',
        interproAccession: 'IPR001926',
        start: 12,
        end: 321,
        score: '9.7e-43',
      },
    ]);
  });

  it('takes a signature without an entry, and rows that end early', async () => {
    const short = scan.split('\t').slice(0, 11).join('\t');
    const dashed = scan.replace('IPR001926', '-').replace('9.7e-43', '-');
    const { records } = await all(readInterproScan(`${short}\n${dashed}`));
    expect(records.map((one) => [one.interproAccession, one.score])).toEqual([
      [null, '9.7e-43'],
      [null, null],
    ]);
  });

  it.each([
    ['11 to 15 columns', 'A\tB'],
    ['MD5', scan.replace(md5, 'xyz')],
    ['start', scan.replace('\t12\t', '\t0\t')],
    ['end', scan.replace('\t321\t', '\t11\t')],
    ['entry', scan.replace('IPR001926', 'IPR1')],
  ])('reports %s', async (what, line) => {
    const { records, rejected } = await all(readInterproScan(`# head\n${line}\n`));
    expect(records).toEqual([]);
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toMatch(new RegExp(`^2: .*${what}`));
  });

  it('reads protein2ipr.dat', async () => {
    const { records, rejected } = await all(readProtein2Ipr(`${ipr}\nA\tB\nA\tIPR9\tn\ts\t1\t2\n`));
    expect(records[0]).toMatchObject({
      accession: 'A0A000',
      interproAccession: 'IPR003593',
      signatureAccession: 'SM00382',
      start: 22,
      end: 200,
    });
    expect(rejected).toHaveLength(2);
  });

  it('reads the entries that a GAF names', async () => {
    const { records, skipped } = await all(
      readInterproOfGaf(`${gaf}\n${gaf.replaceAll('InterPro:IPR', 'X:')}`),
    );
    expect(records.map((one) => one.interproAccession)).toEqual(['IPR000003', 'IPR000536']);
    expect(skipped).toBe(1);
  });

  const folder = sharedData('data', 'interpro', 'interproscan6-samples', 'tsv');
  it.skipIf(folder === null)('reads what InterProScan 6 writes for each of its applications', async () => {
    const files = readdirSync(folder as string);
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      const text = readFileSync(join(folder as string, file), 'utf8');
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const { records, rejected } = await all(readInterproScan(text));
      expect([file, rejected]).toEqual([file, []]);
      expect(records).toHaveLength(lines.length);
      for (const [i, { sourceDb, interproAccession }] of records.entries()) {
        expect(sourceDb).toBe(lines[i].split('\t')[3].toUpperCase());
        expect(/\tIPR\d{6}\t/.test(lines[i])).toBe(interproAccession !== null);
      }
    }
  });
});
