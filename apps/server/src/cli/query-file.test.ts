import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQueries } from './query-file.js';

const golden = fileURLToPath(
  new URL('../../../../packages/kernels/src/formats/golden/genome/', import.meta.url),
);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-queries-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function saved(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}
const textOf = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString('utf8');

describe('queries of a command', () => {
  it('are FASTA as it is, also packed', async () => {
    const packed = gzipSync('>a\nMK\n');
    const read = await readQueries(await saved('a.fasta.gz', packed));
    expect(read).toMatchObject({
      name: 'a.fasta.gz',
      sha256: createHash('sha256').update(packed).digest('hex'),
    });
    expect(Buffer.from(read.bytes).equals(packed)).toBe(true);
  });

  it('are the proteins of GenBank, EMBL, and GFF3 with its genome', async () => {
    const genbank = await readQueries(join(golden, 'genome.gb'));
    expect(genbank.name).toBe('genome.gb.fasta');
    const embl = await saved('genome.embl.gz', gzipSync(await readFile(join(golden, 'genome.embl'))));
    expect(textOf(await readQueries(embl))).toBe(textOf(genbank));
    const gff3 = await readQueries(join(golden, 'genome.gff3'), { genome: join(golden, 'genome.fasta') });
    const residues = (text: string) => text.replaceAll(/^>.*$/gm, '>').split('>').sort();
    expect(residues(textOf(gff3))).toEqual(residues(textOf(genbank)));
  });

  it('are refused by file, line and record, and with what to do', async () => {
    await expect(readQueries(join(golden, 'genome.gff3'))).rejects.toThrow(
      /genome\.gff3, line 3 \(record A1\.1\): the genome has no sequence GOLD01\.1; give the FASTA file/,
    );
    await expect(readQueries(join(golden, 'genome.gb'), { genome: 'x' })).rejects.toThrow('goes with a GFF3');
    await expect(readQueries(await saved('a.bz2', 'BZh9'))).rejects.toThrow(
      'bzip2 -dc a.bz2 | kindred annotate -',
    );
    await expect(readQueries(await saved('a.gz', Uint8Array.of(0x1f, 0x8b, 8, 0)))).rejects.toThrow(
      'cannot be unpacked',
    );
    await expect(readQueries(join(folder, 'none'))).rejects.toThrow('does not exist or cannot be read');
  });
});
