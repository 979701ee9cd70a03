import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnnotationCollector } from '../read/annotations.js';
import { columnsOfRecords } from '../../ontology/testing/columns.js';
import { linkOntology } from '../read/evaluation-ontology.js';
import { informationAccretion } from './information-accretion.js';
import { bytesOf, ontologyOf } from '../testing/cases.js';

const terms = { 'T:0': [], 'T:1': ['T:0'], 'T:2': ['T:0'], 'T:3': ['T:1', 'T:2'], 'T:4': ['T:3'] } as Record<
  string,
  string[]
>;
const ontology = linkOntology(
  columnsOfRecords(Object.entries(terms).map(([id, parentIds]) => ({ id, namespace: 'toy', parentIds }))),
);

function accretionOf(pairs: [string, string][]): Record<string, number> {
  const collector = new AnnotationCollector(ontology);
  for (const [protein, term] of pairs) collector.add(protein, term);
  const { ofId } = informationAccretion(ontology, collector.end());
  return Object.fromEntries(Object.keys(terms).map((id) => [id, ofId[ontology.ids.findText(id)]]));
}

describe('information accretion', () => {
  it('is -log2((n + 1) / (n of all parents + 1)), worked out by hand', () => {
    // T:1 belongs to P1, P2 and P4; T:2 to P1, P3 and P4; both together to P1 and P4; T:3 to P1.
    const found = accretionOf([
      ['P1', 'T:3'],
      ['P2', 'T:1'],
      ['P3', 'T:2'],
      ['P4', 'T:1'],
      ['P4', 'T:2'],
      ['P1', 'T:3'],
    ]);
    expect(found['T:0']).toBe(0);
    expect(found['T:1']).toBeCloseTo(-Math.log2(4 / 5), 15);
    expect(found['T:3']).toBeCloseTo(-Math.log2(2 / 3), 15);
    // One protein has the parent of T:4, and none has T:4.
    expect(found['T:4']).toBe(1);
  });

  it('is finite and never negative', () => {
    const pair = fc.tuple(fc.constantFrom('P1', 'P2', 'P3', 'P4'), fc.constantFrom(...Object.keys(terms)));
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        for (const value of Object.values(accretionOf(pairs))) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(value)).toBe(true);
        }
      }),
    );
  });
});

const ecoli = sharedData('data', 'ecoli-k12');
const yeast = sharedData('data', 'yeast');
const go = sharedData('data', 'ontology', 'go-2022-07-01.obo.gz');
const experimental = new Set('EXP IDA IPI IMP IGI IEP TAS IC HTP HDA HMP HGI HEP'.split(' '));

describe.skipIf(!ecoli || !yeast || !go)(
  'information accretion of the E. coli and yeast reference set',
  () => {
    it('equals the given file for all 43,558 terms', () => {
      const linesIn = (path: string): string[] =>
        new TextDecoder().decode(bytesOf(path)).trimEnd().split('\n');
      const ontology = ontologyOf(bytesOf(go!));
      const fastas = [`${ecoli}/UP000000625_83333.fasta.gz`, `${yeast}/yeast_swissprot_2025-10-27.fasta.gz`];
      const withSequence = new Set(
        fastas
          .flatMap(linesIn)
          .filter((line) => line[0] === '>')
          .map((line) => line.split('|')[1]),
      );
      const collector = new AnnotationCollector(ontology);
      const proteins = new Set<string>();
      const gafs = [
        `${ecoli}/18.E_coli_MG1655.2020-03-03.gaf.gz`,
        `${yeast}/71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz`,
      ];
      for (const line of gafs.flatMap(linesIn)) {
        const [, accession, , qualifier, term, , evidence] = line.split('\t');
        if (
          line[0] === '!' ||
          !experimental.has(evidence) ||
          qualifier.includes('NOT') ||
          !withSequence.has(accession)
        )
          continue;
        if (collector.add(accession, term)) proteins.add(accession);
      }
      expect(proteins.size).toBe(8685);
      const { ofId } = informationAccretion(ontology, collector.end());
      const expected = linesIn(`${ecoli}/golden/IA.tsv.gz`);
      expect(expected.length).toBe(43558);
      for (const line of expected) {
        const [id, value] = line.split('\t');
        expect(Math.abs(ofId[ontology.ids.findText(id)] - Number(value)), id).toBeLessThan(5.1e-7);
      }
    });
  },
);
