import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('starter', import.meta.url));
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const manifest: {
  counts: Record<'organisms' | 'families', { proteins: number; annotations: number }>;
  files: Record<string, { bytes: number; sha256: string; unpacked_bytes: number }>;
} = JSON.parse(text('manifest.json'));
const rowsOf = (name: string) =>
  brotliDecompressSync(readFileSync(join(folder, name)))
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('!'));

describe('the starter reference', () => {
  it('is the files that its manifest lists, of at most 25 MB', () => {
    const packed = readdirSync(folder).filter((name) => name.endsWith('.br'));
    expect(packed.sort()).toEqual(Object.keys(manifest.files).sort());
    for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
      const content = readFileSync(join(folder, name));
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    }
    const total = Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeLessThanOrEqual(25_000_000);
  });

  it('has the families without a code that nobody gave, each protein with its terms', () => {
    const rows = rowsOf('families.gpad.br').map((line) => line.split('\t'));
    const headers = rowsOf('families.fasta.br').filter((line) => line.startsWith('>'));
    const { proteins, annotations } = manifest.counts.families;
    expect([headers.length, rows.length]).toEqual([proteins, annotations]);
    expect(new Set(rows.map((cells) => cells[5]))).toEqual(new Set(['ECO:0000000']));
    expect(new Set(rows.map((cells) => cells[1]))).toEqual(
      new Set(headers.map((line) => line.slice(1).split(' ', 1)[0])),
    );
  });

  it('is described with its counts', () => {
    const described = text('DATA.md');
    for (const { proteins, annotations } of Object.values(manifest.counts)) {
      expect(described).toContain(proteins.toLocaleString('en'));
      expect(described).toContain(annotations.toLocaleString('en'));
    }
  });
});
