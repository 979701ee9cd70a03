import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { AnnotationRecord, SourceContext } from '@kindred/contracts';
import { peekLine } from '@kindred/kernels/formats';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { detectFormat } from './detect-format.js';
import { plugin } from './index.js';

async function* inPieces(text: string | Uint8Array, size: number) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string | Uint8Array, parameters = {}, keep?: (accession: string) => boolean) {
  const context = {
    openStream: async () => ({ headers: {}, sizeBytes: null, bytes: inPieces(text, 7) }),
    emit: async () => {},
    signal: new AbortController().signal,
    ...(keep && { keep }),
  } as SourceContext;
  const source = await plugin.load({ dataDir: '', settings: {} });
  const result = {
    records: [] as AnnotationRecord[],
    rejected: 0,
    skipped: 0,
    header: {} as Record<string, string>,
  };
  for await (const batch of source.annotations?.({ gaf_url: 'file:///x', ...parameters }, context) ?? []) {
    result.records.push(...batch.records);
    result.rejected += batch.rejected.length;
    result.skipped += batch.skipped;
    result.header = batch.header;
  }
  return result;
}

const gaf =
  'UniProtKB\tP1\tS\tinvolved_in\tGO:0008150\tPMID:1\tIDA\t\tP\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n';
const gpad =
  'UniProtKB\tP1\tinvolved_in\tGO:0008150\tPMID:1\tECO:0000314\t\t\t20200101\tX\t\tgo_evidence=IDA\n';

describe('goa source', () => {
  it.each([
    ['!gaf-version: 2.2', 'gaf'],
    ['! gpa-version: 1.1', 'gpad'],
    ['!gpad-version: 2.0', 'gpad'],
    ['!generated-by: us', null],
    ['', null],
    [gaf.trimEnd(), 'gaf'],
    [gpad.trimEnd(), 'gpad'],
  ])('tells the format by %j', (line, format) => {
    expect(detectFormat(line)).toBe(format);
  });

  it.each([
    ['GAF with a version', `!gaf-version: 2.2\n${gaf}`],
    ['GAF without', `!other: 1\n\n${gaf}`],
    ['GPAD with a version', `!gpa-version: 1.1\n${gpad}`],
    ['GPAD without', gpad],
  ])('reads %s', async (_name, text) => {
    const { records, rejected } = await read(text);
    expect(rejected).toBe(0);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      accession: 'P1',
      goId: 'GO:0008150',
      qualifier: 'involved_in',
      evidenceCode: 'IDA',
      dbReference: 'PMID:1',
      annotationDate: '20200101',
      assignedBy: 'X',
    });
  });

  it('counts rows that are not wanted instead of reading them', async () => {
    const result = await read(
      gaf + gaf.replace('P1', 'P2') + gaf.replace('P1', 'P3'),
      {},
      (one) => one === 'P2',
    );
    expect(result.records.map((one) => one.accession)).toEqual(['P2']);
    expect(result.skipped).toBe(2);
  });

  it('refuses parameters that it does not know', async () => {
    await expect(read(gaf, { gaf: 1 })).rejects.toThrow();
  });

  it('gives back every byte that was looked at, and lets go of the source', async () => {
    const text = '!a\n!b\n'.repeat(100);
    const { bytes, head } = await peekLine(inPieces(text, 5), () => false);
    expect(head).toBe('');
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  const folder = sharedData('data', 'formats', 'biopython', 'UniProt');
  it.skipIf(folder === null)('reads the published samples of each version', async () => {
    const files = readdirSync(folder as string).filter((name) =>
      /\.(gaf|gpa|gpad)(\.gz)?$|association/.test(name),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) {
      const bytes = readFileSync(`${folder}/${name}`);
      const text = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
      const rows = text
        .toString('latin1')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('!')).length;
      const { records, rejected } = await read(text);
      expect(records.length + rejected, name).toBe(rows);
      expect(rejected / rows, name).toBeLessThan(0.02);
    }
  });
});
