import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
    const workbook = [0x50, 0x4b, 3, 4, ...Array(26).fill(0), ...Buffer.from('[Content_Types].xml')];
    await expect(readQueries(join(golden, 'genome.gff3'))).rejects.toThrow(
      /genome\.gff3, line 3 \(record A1\.1\): the genome has no sequence GOLD01\.1; give the FASTA file/,
    );
    await expect(readQueries(join(golden, 'genome.gb'), { genome: 'x' })).rejects.toThrow('goes with a GFF3');
    await expect(readQueries(await saved('a.bz2', 'BZh9'))).rejects.toThrow(
      'bzip2 -dc a.bz2 | kindred annotate -',
    );
    for (const [name, bytes, command] of [
      ['a b.xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xz -dc 'a b.xz' | kindred annotate -"],
      ['a.zip', [0x50, 0x4b, 3, 4], 'unzip -p a.zip | kindred annotate -'],
      ['a.7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], '7z x -so a.7z | kindred annotate -'],
      ['a.Z', [0x1f, 0x9d, 0x90], 'gzip -dc a.Z | kindred annotate -'],
      ['a.xlsx', workbook, 'a.xlsx is a workbook or a document of an office program: save it as plain text'],
    ] as const)
      await expect(readQueries(await saved(name, Uint8Array.from(bytes)))).rejects.toThrow(command);
    await expect(readQueries(await saved('a.gz', Uint8Array.of(0x1f, 0x8b, 8, 0)))).rejects.toThrow(
      'cannot be unpacked',
    );
    await expect(readQueries(join(folder, 'none'))).rejects.toThrow('does not exist or cannot be read');
  });

  it('may be in UTF-16, or begin with a byte order mark', async () => {
    const [genbank, list] = [await readFile(join(golden, 'genome.gb'), 'utf8'), 'P70001\nP70002\n'];
    const wanted = textOf(await readQueries(join(golden, 'genome.gb')));
    for (const encoding of ['utf16le', 'utf8'] as const) {
      const read = (text: string) =>
        saved(encoding, Buffer.from(`\ufeff${text}`, encoding)).then(readQueries);
      expect(textOf(await read(genbank))).toBe(wanted);
      expect((await read(list)).accessions).toEqual(['P70001', 'P70002']);
    }
    const unmarked = saved('a.txt', Buffer.from(list, 'utf16le'));
    await expect(unmarked.then(readQueries)).rejects.toThrow(/a\.txt, line 1: .*save it as UTF-8/);
  });

  it('are refused by the word that is not an accession, in a list of them', async () => {
    await expect(readQueries(await saved('a.txt', 'P70001\nP7002\n'))).rejects.toThrow(
      /a\.txt, line 2: "P7002" is not a UniProt accession/,
    );
    expect((await readQueries(await saved('b.csv', 'Entry,Name\nP70001,x\n'))).accessions).toEqual([
      'P70001',
    ]);
  });

  it('say what is left out, and leave out bad records where that is asked for', async () => {
    const genbank = await readFile(join(golden, 'genome.gb'), 'utf8');
    const cases = [
      ['bad.fasta', '>a\nMKT\n>b\nMK1\n>a\nMKA\n', ['b', 'a'], /^>a\nMKT\n$/],
      ['bad.fasta.gz', gzipSync('>\nMKT\n>c\nMKT\n'), [''], /^>c\nMKT\n$/],
      ['bad.gb', genbank.replace('/translation="M', '/translation="1'), [expect.any(String)], /^>/],
    ] as const;
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    try {
      for (const [name, content, records, text] of cases) {
        const path = await saved(name, content);
        const read = await readQueries(path, { badRecords: 'leave_out' });
        const unreadable = read.leftOut.filter(({ reason }) => reason === 'unreadable');
        expect(unreadable.map(({ protein }) => protein)).toEqual(records);
        expect(unreadable[0].sentence).toMatch(/^Line \d+: /);
        expect(textOf(read)).toMatch(text);
        expect(said.join('')).toContain(unreadable[0].sentence);
        if (name === 'bad.gb') await expect(readQueries(path)).rejects.toThrow(/bad.gb, line/);
      }
      await expect(
        readQueries(await saved('none.fasta', '>a\nMK1\n'), { badRecords: 'leave_out' }),
      ).rejects.toThrow(/none.fasta has no protein. 1 records .*:\n {2}Line 2: "1" is not a residue/);
    } finally {
      write.mockRestore();
    }
  });
});
