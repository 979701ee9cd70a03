import { describe, expect, it } from 'vitest';
import { parseObo } from '../ontology/obo.js';
import { readFlatFile } from './flat-file.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import {
  LineScanner,
  parseFasta,
  peekLine,
  readFasta,
  readGaf,
  readGpad,
  readQuickGo,
  textOfBytes,
} from './index.js';
import { sequenceFormatOfBytes } from './sequence-format.js';
import { utf8Bytes, Utf8Chunks } from './text-encoding.js';
import { accessionList } from '../accessions/index.js';

type Encoding = 'UTF-8 with a mark' | 'UTF-16' | 'UTF-16 of the other order' | 'Windows-1252';
const encodings: Encoding[] = ['UTF-8 with a mark', 'UTF-16', 'UTF-16 of the other order', 'Windows-1252'];

function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'UTF-8 with a mark') return Buffer.from(`\ufeff${text}`, 'utf8');
  if (encoding === 'Windows-1252') return Buffer.from(text.replaceAll('\u2019', '\u0092'), 'latin1');
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return encoding === 'UTF-16' ? bytes : bytes.swap16();
}
/** Cuts bytes into pieces of three, so that borders are inside of marks and characters. */
function* pieces(bytes: Buffer, size = 3): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
async function* stream(bytes: Buffer) {
  yield* pieces(bytes);
}
async function all(batches: AsyncIterable<{ records: unknown[]; rejected: unknown[] }>) {
  const found: unknown[] = [];
  for await (const { records, rejected } of batches) found.push(...records, ...rejected);
  return found;
}

// The name has a letter and a quotation mark that differ in the three encodings.
const name = 'caf\u00e9\u2019s';
const gaf = `!gaf-version: 2.2\nUniProtKB\tP1\t${name}\tenables\tGO:0003824\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20200101\tX\t\t\n`;
const flat = `LOCUS       X  6 bp  DNA\nFEATURES             Location/Qualifiers\n     CDS             1..6\n                     /locus_tag="x"\n                     /product="${name}"\nORIGIN\n        1 atgaaa\n//\n`;
const embl = `ID   X; SV 1; linear; DNA; STD; PRO; 6 BP.\nFH   Key             Location/Qualifiers\nFT   CDS             1..6\nFT                   /locus_tag="x"\nFT                   /product="${name}"\nSQ   Sequence 6 BP;\n     atgaaa        6\n//\n`;
const obo = `format-version: 1.4\ndata-version: releases/2020-01-01\n\n[Term]\nid: GO:0000001\nname: ${name}\nnamespace: biological_process\n`;
const readers: Record<string, { text: string; read: (bytes: Buffer) => Promise<unknown> }> = {
  FASTA: { text: `>p1 ${name}\r\nMKT\r\n>p2\nMKV`, read: (bytes) => all(readFasta(stream(bytes))) },
  GenBank: { text: flat, read: (bytes) => all(readFlatFile(stream(bytes))) },
  EMBL: { text: embl, read: (bytes) => all(readFlatFile(stream(bytes))) },
  GFF3: {
    text: `##gff-version 3\nc\tt\tCDS\t1\t6\t.\t+\t0\tID=a;product=${name}\n##FASTA\n>c\nATGAAA\n`,
    read: async (bytes) => (await readGff3Proteins(stream(bytes), null)).records,
  },
  'a genome': { text: `>c ${name}\nATG\n`, read: async (bytes) => [...(await readGenome(stream(bytes)))] },
  GAF: { text: gaf, read: (bytes) => all(readGaf(stream(bytes))) },
  GPAD: {
    text: `!gpad-version: 2.0\nD:${name}\t\tRO:0002327\tGO:0003824\tPMID:1\tECO:0000314\t\t\t2020-01-01\tX\t\t\n`,
    read: (bytes) => all(readGpad(stream(bytes))),
  },
  QuickGO: {
    text: `GENE PRODUCT ID\tQUALIFIER\tGO TERM\tECO ID\tDATE\nP1\tenables\tGO:0003824\tECO:0000314\t20200101\n${name}\tenables\tGO:0003824\tECO:0000314\t20200101\n`,
    read: (bytes) => all(readQuickGo(stream(bytes))),
  },
  OBO: { text: obo, read: async (bytes) => parseObo(bytes).terms },
  'a list of accessions': {
    text: `# ${name}\nP70001\nP70002\n`,
    read: async (bytes) => accessionList(textOfBytes(bytes)),
  },
  'the first line of a file': {
    text: gaf,
    read: async (bytes) => {
      const peeked = await peekLine(stream(bytes), (line) => line.startsWith('!gaf'));
      return [peeked.head, ...(await all(readGaf(peeked.bytes)))];
    },
  },
  'lines as bytes': {
    text: `P1\tGO:0003824\t${name}\n`,
    read: async (bytes) => {
      const lines: string[] = [];
      const scanner = new LineScanner((line, start, end) => {
        lines.push(Buffer.from(line.subarray(start, end)).toString('utf8'));
      });
      for (const piece of pieces(bytes)) scanner.push(piece);
      scanner.end();
      return lines;
    },
  },
};

describe.each(Object.entries(readers))('%s', (_, { text, read }) => {
  it.each(encodings)('is the same in %s as in UTF-8', async (encoding) => {
    const plain = await read(Buffer.from(text, 'utf8'));
    expect(plain).not.toEqual([]);
    expect(await read(encoded(text, encoding))).toEqual(plain);
  });

  it('is refused in UTF-16 without a mark, or broken', async () => {
    for (const bytes of [
      Buffer.from(text, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
      Buffer.concat([encoded(text, 'UTF-16'), Uint8Array.of(65)]),
    ])
      await expect(read(bytes)).rejects.toThrow('save it as UTF-8');
  });
});

it.each(encodings)('the format of sequences is known in %s', (encoding) => {
  const formats = [`>${name}\nMKT\n`, flat, embl, `##gff-version 3\n# ${name}\n`].map((text) =>
    sequenceFormatOfBytes(encoded(text.padEnd(5000), encoding)),
  );
  expect(formats).toEqual(['fasta', 'genbank', 'embl', 'gff3']);
});

it('reads any piece of a file in a time that grows with its size', () => {
  const used = (count: number) => {
    const bytes = encoded('\u00e9'.repeat(99).concat('\n').repeat(count), 'UTF-16');
    const before = process.cpuUsage();
    const chunks = new Utf8Chunks();
    for (const piece of pieces(bytes, 1 << 12)) chunks.push(piece);
    chunks.end();
    const lines = textOfBytes(encoded('\u00e9\n'.repeat(100 * count), 'Windows-1252'));
    expect(lines.length).toBe(200 * count);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  used(500);
  expect(used(4000)).toBeLessThan(8 * Math.max(used(2000), 5_000));
});

const inTabs =
  'UniProtKB\tP1\tA\t\tGO:0003824\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20200101\tX\t\t\n'.repeat(2);
const batches = async (read: (bytes: Uint8Array) => AsyncIterable<unknown>, bytes: Uint8Array) => {
  for await (const batch of read(bytes)) void batch;
};
it.each<[string, string, (bytes: Uint8Array) => Promise<void>]>([
  ['FASTA', '>a\nMK\n>b\nMK\n', (bytes) => batches(readFasta, bytes)],
  ['GAF', inTabs, (bytes) => batches(readGaf, bytes)],
  ['GenBank', 'LOCUS       X 3 bp\nORIGIN\n        1 aaa\n//\n', (bytes) => batches(readFlatFile, bytes)],
  [
    'GFF3',
    '##gff-version 3\nc\tx\tCDS\t1\t3\t.\t+\t0\tID=a\n',
    async (bytes) => void (await readGff3Proteins(bytes, null)),
  ],
  [
    'lines without strings',
    'P1\tGO:1\t0.9\nP2\tGO:1\t0.8\n',
    async (bytes) => {
      const scanner = new LineScanner(() => {});
      scanner.push(bytes);
      scanner.end();
    },
  ],
  [
    'a line that is too long',
    `${'x'.repeat(5_000_000)}\n`.repeat(2),
    async (bytes) => new LineScanner(() => {}).push(bytes),
  ],
])(
  'line ends of old Macs are named in %s, since a reader could take the first line alone',
  async (_, text, read) => {
    const mac = Buffer.from(text.replaceAll('\n', '\r'));
    await expect(read(mac)).rejects.toThrow('the lines end with a single carriage return');
    if (text.length < 1000) await read(Buffer.from(text.replaceAll('\n', '\r\n')));
  },
);

it.each([
  [0xff, 0xfe, 0, 0, 0x3e, 0, 0, 0],
  [0, 0, 0xfe, 0xff, 0, 0, 0, 0x3e],
])('UTF-32 is named, whose mark begins as that of UTF-16: %s', (...bytes) => {
  expect(() => utf8Bytes(Uint8Array.from(bytes))).toThrow('UTF-32');
});

it('byte order marks within joined files are left out of FASTA', () => {
  const names = parseFasta(Buffer.from('\ufeff>a\nMKV\n\ufeff\ufeff>b\nMKT\n')).map(
    ({ accession }) => accession,
  );
  expect(names).toEqual(['a', 'b']);
});
