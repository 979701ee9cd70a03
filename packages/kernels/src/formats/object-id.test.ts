import { readFileSync } from 'node:fs';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnnotationFile,
  gafLine,
  gpadLine,
  nameOfObject,
  objectId,
  parseFasta,
  type PredictedAnnotation,
  writeFasta,
} from './index.js';

const file: AnnotationFile = {
  ...{ database: 'local', taxonId: 32644, reference: 'KINDRED_REF:0000001', method: 'combined' },
  ...{
    date: '20261122',
    assignedBy: 'Kindred',
    header: [],
    ownReference: 'GO_REF:0000000',
    sequenceReference: 'KINDRED_REF:0000010',
    ownAssignedBy: 'unknown',
  },
};
const rowOf = (accession: string): PredictedAnnotation =>
  ({
    ...{ accession, taxonId: null, goId: 'GO:0005515', aspect: 'F', sourceKind: 'protein' },
    ...{
      sourceId: 'P0A7B8',
      evidenceCode: 'IDA',
      score: 0.5,
      probability: null,
      proteinName: null,
      geneName: null,
    },
  }) as PredictedAnnotation;
const gafCells = (name: string) => gafLine(rowOf(name), file, new Set()).trimEnd().split('\t');
const gpadCells = (name: string) => gpadLine(rowOf(name), file, new Set()).trimEnd().split('\t');

/** Returns the names in the rows of GAF and of GPAD. */
function namesIn(name: string): string[] {
  const gaf = gafCells(name);
  const gpad = gpadCells(name);
  const property = gpad[11].split('|').find((text) => text.startsWith('object_name='));
  return [
    gaf[9] || (gaf[16]?.split(':').slice(1).join(':') ?? '') || gaf[1],
    property === undefined
      ? gpad[0].split(':').slice(1).join(':')
      : decodeURIComponent(property.slice('object_name='.length)),
  ];
}

describe('the id of an object', () => {
  it.each([
    ['g1.t1', 'g1.t1'],
    ['contig_1_1', 'contig_1_1'],
    ['X/1-90', 'X_x2F1-90'],
    ['X_1-90', 'X_1-90'],
    ['X|1-90', 'X_x7C1-90'],
    ['X__1-90', 'X__1-90'],
    ['X_x2F1-90', 'X_x5Fx2F1-90'],
    ['Tp53(human)', 'Tp53_x28human_x29'],
    ['αB', '_xCE_xB1B'],
  ])('of %s is %s, and gives the name back', (name, id) => {
    expect(objectId(name)).toBe(id);
    expect(nameOfObject(id)).toBe(name);
    expect(gafCells(name)[1]).toBe(id);
    expect(gpadCells(name)[0]).toBe(`local:${id}`);
    expect(namesIn(name)).toEqual([name, name]);
  });

  it('joins rows with the FASTA of any names', () => {
    const letters = fc.constantFrom(...'/_|x2F5=%(),;:.-# +*"\'\\aß中𝔸'.split(''), '_x2F', '_x5F', '%7C');
    const names = fc.uniqueArray(
      fc
        .array(letters, { minLength: 1, maxLength: 8 })
        .map((parts) => `n${parts.join('').replaceAll(/\s/g, '')}`),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(names, (given) => {
        const text = [...writeFasta(given.map((header) => ({ header, sequence: 'MKT' })))].join('');
        const read = parseFasta(text).map(({ accession }) => accession);
        expect(new Set(read.map((name) => gafCells(name)[1])).size).toBe(read.length);
        expect(new Set(read.map((name) => gpadCells(name)[0])).size).toBe(read.length);
        for (const name of read) {
          expect(objectId(name)).toMatch(/^[A-Za-z0-9.:_-]+$/);
          expect(nameOfObject(objectId(name))).toBe(name);
          expect(namesIn(name)).toEqual([name, name]);
        }
      }),
    );
  });

  const path = sharedData('cases', '142-gaf-collision.fasta');
  it.skipIf(path === null)('is another for each of three names that differ in one character', () => {
    const names = parseFasta(readFileSync(path as string)).map(({ accession }) => accession);
    expect(names).toHaveLength(3);
    expect(new Set(names.map((name) => gafCells(name)[1])).size).toBe(3);
    for (const name of names) expect(namesIn(name)).toEqual([name, name]);
  });
});
