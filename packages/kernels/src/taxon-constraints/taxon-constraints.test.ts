import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ontologyColumns, type OntologyColumns, parseObo } from '../ontology/index.js';
import {
  readTaxonConstraintsOfObo,
  readTaxonConstraintTable,
  readTaxonUnions,
  type TaxonConstraint,
  TaxonConstraints,
} from './index.js';

const id = (term: number) => `GO:${String(term).padStart(7, '0')}`;

function columnsOf(
  parents: readonly (readonly [child: number, parent: number, relation: number])[],
): OntologyColumns {
  const size = 8;
  return {
    termIds: Array.from({ length: size }, (_, term) => id(term)),
    namespaces: ['biological_process', 'molecular_function'],
    namespace: Uint8Array.from({ length: size }, (_, term) => term % 2),
    obsolete: new Uint8Array(size),
    edgeChild: Int32Array.from(parents, ([child]) => child),
    edgeParent: Int32Array.from(parents, ([, parent]) => parent),
    edgeRelation: Uint8Array.from(parents, ([, , relation]) => relation),
    relationNames: ['is_a', 'part_of', 'regulates'],
    altIds: ['GO:0000099'],
    altTerms: Int32Array.of(3),
  };
}

describe('TaxonConstraints', () => {
  it('answers what going up from every term by hand finds', () => {
    const edge = fc.tuple(fc.integer({ min: 1, max: 7 }), fc.nat(6), fc.nat(2));
    const constraint = fc.record({
      termId: fc.nat(7).map(id),
      kind: fc.constantFrom('only_in' as const, 'never_in' as const),
      taxon: fc.constantFrom('NCBITaxon:2', 'NCBITaxon:4', 'NCBITaxon:5', 'NCBITaxon_Union:1'),
    });
    fc.assert(
      fc.property(
        fc.array(edge, { maxLength: 14 }),
        fc.array(constraint, { maxLength: 6 }),
        fc.subarray([1, 2, 3, 4, 5]),
        (drawn, constraints, lineage) => {
          const edges = drawn.map(([child, parent, relation]) => [child, parent % child, relation] as const);
          const unions = new Map([['NCBITaxon_Union:1', ['NCBITaxon:3', 'NCBITaxon:4']]]);
          const isBroken = ({ kind, taxon }: TaxonConstraint): boolean => {
            const taxa = taxon === 'NCBITaxon_Union:1' ? [3, 4] : [Number(taxon.slice(10))];
            return taxa.some((one) => lineage.includes(one)) === (kind === 'never_in');
          };
          const above = (term: number): number[] => [
            term,
            ...edges
              .filter(([child, , relation]) => child === term && relation < 2)
              .flatMap(([, p]) => above(p)),
          ];
          const expected = Array.from({ length: 8 }, (_, term) => {
            const over = above(term).map(id);
            return constraints.findIndex((one) => over.includes(one.termId) && isBroken(one));
          });
          const checked = new TaxonConstraints(columnsOf(edges), constraints, unions);
          expect([...checked.broken(lineage)]).toEqual(expected);
        },
      ),
    );
  });

  it('takes alternative ids, leaves out unknown terms and refuses unknown unions', () => {
    const only = (termId: string, taxon: string): TaxonConstraint => ({ termId, kind: 'only_in', taxon });
    const found = new TaxonConstraints(columnsOf([]), [
      only('GO:9999999', 'NCBITaxon:2'),
      only('GO:0000099', 'NCBITaxon:2'),
    ]);
    expect(found.arrays.constraints.map(({ termId }) => termId)).toEqual(['GO:0000099']);
    expect([...found.broken([1, 2759])].map((c) => c >= 0)).toEqual(
      Array.from({ length: 8 }, (_, term) => term === 3),
    );
    expect(() => new TaxonConstraints(columnsOf([]), [only(id(1), 'NCBITaxon_Union:7')])).toThrow(
      'not known',
    );
  });
});

describe('readers', () => {
  it('read tables, ontology files and unions, and report the lines that they leave out', () => {
    const table =
      'defined_class\tlabel\ttaxon\tlabel\tsource\nGO:0000132\ta\tNCBITaxon:2759\tE\t\nGO:1\tb\tNCBITaxon:2\tB\t\n';
    expect(readTaxonConstraintTable(table, 'never_in')).toEqual({
      constraints: [{ termId: 'GO:0000132', kind: 'never_in', taxon: 'NCBITaxon:2759' }],
      rejected: [expect.objectContaining({ line: 3 })],
    });
    const obo = [
      '[Term]',
      'id: GO:0000132',
      'is_a: GO:0000001',
      'relationship: only_in_taxon NCBITaxon:2759 ! Eukaryota',
      'property_value: RO:0002161 NCBITaxon_Union:0000004',
      '[Typedef]',
      'id: part_of',
    ];
    expect(readTaxonConstraintsOfObo(obo.join('\n')).constraints).toEqual([
      { termId: 'GO:0000132', kind: 'only_in', taxon: 'NCBITaxon:2759' },
      { termId: 'GO:0000132', kind: 'never_in', taxon: 'NCBITaxon_Union:0000004' },
    ]);
    expect(
      readTaxonUnions('[Term]\nid: NCBITaxon_Union:4\nunion_of: NCBITaxon:2\nunion_of: NCBITaxon:3 ! x\n'),
    ).toEqual(new Map([['NCBITaxon_Union:4', ['NCBITaxon:2', 'NCBITaxon:3']]]));
  });

  const folder = sharedData('data', 'taxon-constraints');
  const ontology = sharedData('data', 'ontology');
  const ecoli = sharedData('data', 'ecoli-k12', 'expected');
  it.skipIf(folder === null || ontology === null || ecoli === null)(
    "leave nearly all that experiments found in E. coli, and strike its predictions of eukaryotes' terms",
    () => {
      const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
      const constraints = (['only_in', 'never_in'] as const).flatMap((kind) => {
        const list = readTaxonConstraintTable(read(`${kind}_taxon.2022-07.tsv`), kind);
        expect(list.rejected).toEqual([]);
        return list.constraints;
      });
      expect(constraints.length).toBe(845 + 561);
      const columns = ontologyColumns(
        parseObo(gunzipSync(readFileSync(`${ontology}/go-2022-07-01.obo.gz`)).toString()),
      );
      const checked = new TaxonConstraints(
        columns,
        constraints,
        readTaxonUnions(read('go-taxon-groupings.obo')),
      );
      const broken = checked.broken([83333, 562, 561, 543, 91347, 1236, 1224, 2, 131567, 1]);
      const numberOf = new Map(columns.termIds.map((termId, term) => [termId, term]));
      const isBroken = (termId: string) => broken[numberOf.get(termId) ?? -1] >= 0;
      expect(isBroken('GO:0005634')).toBe(true);
      expect(isBroken('GO:0009279')).toBe(false);
      const truth = ['NK', 'LK', 'PK'].flatMap((part) =>
        readFileSync(`${ecoli}/truth_${part}.tsv`, 'utf8').trimEnd().split('\n').slice(1),
      );
      const wrong = truth.filter((line) => isBroken(line.split('\t')[1])).length;
      expect(wrong / truth.length).toBeLessThan(0.01);
    },
  );
});
