import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readGaf } from '@kindred/kernels/formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cafaCommand } from './cafa.js';
import { annotationsAsGaf } from './cafa-annotations.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-cafa-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function converted(bytes: string | Uint8Array): Promise<{ path: string; given: string }> {
  const given = join(folder, 'given');
  await writeFile(given, bytes);
  return { given, path: await annotationsAsGaf(given, join(folder, 'made.gaf')) };
}

describe('annotations of a benchmark', () => {
  it.each([
    ['with a header', (text: string) => `EntryID\tterm\taspect\n${text}`],
    ['without one', (text: string) => text],
    ['packed', (text: string) => gzipSync(text)],
  ])('become GAF, %s', async (_name, form) => {
    const rows = 'P1\tGO:0005515\tF\nmine.2\tGO:0008150\tBPO\r\n\nP1\tGO:0005634\tcellular_component\n';
    const { path } = await converted(form(rows));
    const read: unknown[] = [];
    for await (const { records, rejected } of readGaf(await readFile(path))) {
      expect(rejected).toEqual([]);
      for (const { accession, goId, aspect, evidenceCode } of records)
        read.push([accession, goId, aspect, evidenceCode]);
    }
    expect(read).toEqual([
      ['P1', 'GO:0005515', 'F', 'EXP'],
      ['mine.2', 'GO:0008150', 'P', 'EXP'],
      ['P1', 'GO:0005634', 'C', 'EXP'],
    ]);
  });

  it('are taken as they are in GAF and GPAD', async () => {
    for (const text of ['!gaf-version: 2.2\n', `UniProtKB${'\tx'.repeat(14)}\n`]) {
      const { path, given } = await converted(text);
      expect(path).toBe(given);
    }
  });

  it.each([
    ['without an aspect', 'P1\tGO:0005515\n'],
    ['with another aspect', 'P1\tGO:0005515\tX\n'],
    ['without a protein', '\tGO:0005515\tF\n'],
    ['with a term that is none', 'P2\tGO:0005515\tF\nP1\tGO:1\tF\n'],
  ])('are refused with the line, %s', async (_name, text) => {
    const line = text.split('\n').length - 1;
    await expect(converted(text)).rejects.toThrow(
      `given, line ${line}: expected EntryID, a GO term and its aspect`,
    );
  });
});

describe('the options of kindred cafa', () => {
  it.each([
    ['no queries', ['-o', 'x'], /--query_file/],
    ['no output', ['-q', 'x'], /--output_file/],
    ['queries that are absent', ['-q', 'no.fasta', '-o', 'x'], /no\.fasta does not exist/],
    [
      'sequences without annotations',
      ['-q', 'x', '-o', 'x', '--train_sequences', 'x', '--graph', 'x'],
      /name --annot_file, too/,
    ],
    [
      'an ontology alone',
      ['-q', 'x', '-o', 'x', '--graph', 'x'],
      /name --train_sequences and --annot_file, too/,
    ],
    [
      'accessions without sequences',
      ['-q', 'accessions', '-o', 'x'],
      /list of accessions: give their sequences/,
    ],
    ['an option of another interface', ['-q', 'x', '-o', 'x', '--gpu'], /unknown option '--gpu'/],
  ])('refuse %s', async (_name, args, message) => {
    await writeFile(join(folder, 'accessions'), 'P12345\nP0A7B8\n');
    const command = cafaCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    const placed = args.map((arg) => (arg === 'accessions' ? join(folder, arg) : arg));
    await expect(command.parseAsync(placed, { from: 'user' })).rejects.toThrow(message);
  });
});
