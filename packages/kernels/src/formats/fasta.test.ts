import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFasta, readFasta } from './fasta.js';
import { parseFastaHeader } from './fasta-header.js';
import { formatFastaRecord, writeFasta } from './fasta-write.js';
import { isoformOf } from './isoform.js';

const example = (name: string) => readFileSync(join(repositoryRoot(), 'examples', name));

describe('parseFasta', () => {
  it('reads UniProt headers, bare accessions and free text', () => {
    const [swissprot, trembl, bare, free] = parseFasta(
      '>sp|P00750-2|TPA_HUMAN Tissue-type plasminogen activator OS=Homo sapiens (strain A=B) OX=9606 GN=PLAT PE=1 SV=1\nMDa m\r\nk*\n' +
        '>tr|A0A1S7IWC7|A0A1S7IWC7_9INFA Matrix protein 2 OS=Influenza A virus OX=11320 PE=3 SV=1\nBJOUXZ\n>P12345\n\nAC\n\n> my seq\nA',
    );
    expect(swissprot).toEqual({
      header:
        'sp|P00750-2|TPA_HUMAN Tissue-type plasminogen activator OS=Homo sapiens (strain A=B) OX=9606 GN=PLAT PE=1 SV=1',
      accession: 'P00750-2',
      entryName: 'TPA_HUMAN',
      reviewed: true,
      proteinName: 'Tissue-type plasminogen activator',
      organism: 'Homo sapiens (strain A=B)',
      taxonId: 9606,
      geneName: 'PLAT',
      sequence: 'MDAMK',
      line: 1,
    });
    expect(trembl).toMatchObject({
      accession: 'A0A1S7IWC7',
      reviewed: false,
      geneName: null,
      sequence: 'BJOUXZ',
      line: 4,
    });
    expect(bare).toMatchObject({
      accession: 'P12345',
      reviewed: null,
      proteinName: null,
      taxonId: null,
      sequence: 'AC',
    });
    expect(free).toMatchObject({ accession: 'my', header: ' my seq', proteinName: 'seq' });
  });

  it.each([
    ['', /^line 1: no FASTA record/],
    ['\n \n', /no FASTA record/],
    ['hello\n>A\nMK', /^line 1: text before the first ">": "hello"/],
    ['>A\nMK\n>B\n\n>C\nM', /^line 3 \(record B\): the record has no residues/],
    ['>A\n*\n', /record A\): the record has no residues/],
    ['>A\nMK\n>\nMK', /^line 3: record 2 has no accession/],
    ['>sp||X\nMK', /no accession/],
    ['>A x\nMK\n>A y\nMK', /^line 3 \(record A\): accession A occurs twice, first in line 1/],
    ['>A\nMK\nM1K', /^line 3 \(record A\): "1" is not a residue/],
    ['>A\nM*\nK', /^line 2 \(record A\): "\*" is not a residue/],
    ['>A\nMK**', /"\*" is not a residue/],
    ['>A\nM-K', /"-" is not a residue/],
    ['>A\nMßK', /"ß" is not a residue/],
    ['>A\nM😀K', /"😀" is not a residue/],
  ])('refuses %j', (text, message) => {
    expect(() => parseFasta(text)).toThrowError(message);
  });

  it('keeps the limits, not counting white space and the final star', () => {
    expect(parseFasta('>A\nM K\n\nM*\n', { maxResidues: 3 })[0].sequence).toBe('MKM');
    expect(() => parseFasta('>A\nMK\nMK', { maxResidues: 3 })).toThrowError(
      /^line 3 \(record A\): more than 3 residues/,
    );
    expect(() => parseFasta('>A\nM\n>B\nM\n>C\nM', { maxSequences: 2 })).toThrowError(
      /^line 5: more than 2 sequences/,
    );
  });

  it('returns what was written, for any records and line width', () => {
    const header = fc.stringMatching(/^[A-Za-z0-9_.]{1,10}( [ -~]{0,20}[!-~])?$/);
    const sequence = fc.stringMatching(/^[A-Z]{1,150}$/);
    const entries = fc.uniqueArray(fc.record({ header, sequence }), {
      selector: (e) => e.header.split(' ')[0],
      minLength: 1,
    });
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 80 }), (records, width) => {
        const text = [...writeFasta(records, width)].join('');
        expect(
          Math.max(...text.split('\n').map((l) => (l.startsWith('>') ? 0 : l.length))),
        ).toBeLessThanOrEqual(width);
        expect(parseFasta(text).map(({ header, sequence }) => ({ header, sequence }))).toEqual(records);
      }),
    );
    expect(formatFastaRecord({ header: 'A', sequence: 'M'.repeat(61) })).toBe(`>A\n${'M'.repeat(60)}\nM\n`);
    expect(() => formatFastaRecord({ header: 'A\n>B', sequence: 'M' })).toThrowError(/one line/);
  });

  it('reads the shipped example: 4,000 human proteins and 25 queries of 14 organisms', () => {
    const reference = parseFasta(gunzipSync(example('reference.fasta.gz')));
    expect(reference.length).toBe(4000);
    expect(reference.reduce((sum, record) => sum + record.sequence.length, 0)).toBe(2_166_517);
    expect(reference.every((record) => record.taxonId === 9606 && record.organism === 'Homo sapiens')).toBe(
      true,
    );
    const queries = parseFasta(example('queries.fasta'));
    expect(queries.length).toBe(25);
    expect(queries.reduce((sum, record) => sum + record.sequence.length, 0)).toBe(11_128);
    expect(new Set(queries.map((record) => record.taxonId)).size).toBe(14);
  });
});

describe('readFasta', () => {
  it('reports faulty records and goes on', async () => {
    const text = 'x\ny\n>A\nMK\n>A\nMM\n>B\nM1\n>C\nMMMM\n>D\nM';
    const accessions: string[] = [];
    const rejected: string[] = [];
    for await (const batch of readFasta(text, { maxResidues: 3, batchSize: 1 })) {
      accessions.push(...batch.records.map((r) => r.accession));
      rejected.push(...batch.rejected.map((r) => `${r.line} ${r.record}`));
    }
    expect(accessions).toEqual(['A', 'D']);
    expect(rejected).toEqual(['1 null', '5 A', '8 B', '10 C']);
  });

  const shared = sharedData();
  it.skipIf(shared === null)('reads the E. coli proteome, yeast and isoforms', async () => {
    const count = async (...parts: string[]) => {
      const records = [];
      const bytes = gunzipSync(readFileSync(sharedData('data', ...parts) as string));
      for await (const batch of readFasta(bytes)) {
        expect(batch.rejected).toEqual([]);
        records.push(...batch.records);
      }
      return records;
    };
    const coli = await count('ecoli-k12', 'UP000000625_83333.fasta.gz');
    expect(coli.length).toBe(4401);
    expect(
      coli.every((r) => r.reviewed === true && r.taxonId === 83333 && r.entryName?.endsWith('_ECOLI')),
    ).toBe(true);
    const yeast = await count('yeast', 'yeast_swissprot_2025-10-27.fasta.gz');
    expect(yeast.length).toBe(6156);
    expect(yeast.every((r) => r.taxonId === 559292)).toBe(true);
    const derived = await count('quickgo-uniprot', 'derived_canonical_and_isoforms.fasta.gz');
    expect(derived.length).toBe(63);
    expect(derived.filter((r) => isoformOf(r.accession).isoformIndex !== null).length).toBe(16);
  });
});

describe('headers and isoforms', () => {
  it('takes no field from inside a word and survives odd text', () => {
    expect(parseFastaHeader('A fooOX=1 OX=x GN= OS=')).toMatchObject({
      taxonId: null,
      geneName: null,
      organism: null,
    });
    fc.assert(fc.property(fc.string(), (text) => parseFastaHeader(text).header === text));
  });

  it.each([
    ['P1 P1_ECOLI OS=Escherichia coli OX=83333 (PK)', 83_333],
    ['a OX=9606 (LK|PK)', 9606],
    ['a|OX=9606|b', 9606],
    ['a [OX=9606]; OX=10090', 9606],
    ['a OX=9606; GN=x', 9606],
    ['a OX=unknown OX=9606', 9606],
    ['OX=9606', 9606],
    ['a FOX=9606', null],
    ['a OX=9606x', null],
    ['a OX=1234567890', null],
    ['a OX=', null],
    ['a ox=9606', null],
  ])('reads the taxon of %s', (header, taxon) => {
    expect(parseFastaHeader(header).taxonId).toBe(taxon);
  });

  it.each([
    ['P12345-2', 'P12345', 2],
    ['A0A0B4FWC3-10', 'A0A0B4FWC3', 10],
    ['P12345', 'P12345', null],
    ['seq-1', 'seq-1', null],
    ['P12345-0', 'P12345-0', null],
  ])('isoformOf(%s)', (accession, canonicalAccession, isoformIndex) => {
    expect(isoformOf(accession)).toEqual({ canonicalAccession, isoformIndex });
  });
});
