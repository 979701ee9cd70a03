import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readGaf } from '../formats/index.js';
import { parseObo } from './obo.js';
import type { OntologyAspect } from './obo-document.js';
import { OntologyCycleError, OntologyGraph } from './ontology-graph.js';
import { columnsOf, type Edge, relationNames } from './testing/columns.js';

/** The ontologies are random and without cycles: edges lead to lower ranks, and ranks are a shuffle of the numbers. */
const dag = fc
  .record({
    aspects: fc.array(fc.constantFrom<OntologyAspect>('P', 'F', 'C'), { minLength: 1, maxLength: 14 }),
    obsoleteSeed: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 14, maxLength: 14 }),
    pairs: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 2 })), { maxLength: 40 }),
    shift: fc.nat(),
  })
  .map(({ aspects, obsoleteSeed, pairs, shift }) => {
    const n = aspects.length;
    const edges: Edge[] = pairs
      .map(([a, b, relation]): Edge => [Math.max(a % n, b % n), Math.min(a % n, b % n), relation])
      .filter(([child, parent]) => child !== parent)
      .map(([child, parent, relation]) => [(child + shift) % n, (parent + shift) % n, relation]);
    return { aspects, edges, obsolete: aspects.map((_, i) => Number(obsoleteSeed[i] === 0)) };
  });

/** Finds ancestors by the definition, with recursion: an independent implementation for comparison. */
function naiveAncestors(
  term: number,
  { aspects, edges, obsolete }: { aspects: string[]; edges: Edge[]; obsolete: number[] },
) {
  const found = new Set<number>();
  const visit = (t: number) => {
    found.add(t);
    for (const [child, parent, relation] of edges) {
      const live = obsolete[child] + obsolete[parent] === 0;
      if (child === t && relation < 2 && live && aspects[child] === aspects[parent] && !found.has(parent))
        visit(parent);
    }
  };
  visit(term);
  return found;
}
const ascending = (terms: Iterable<number>) => [...new Set(terms)].sort((a, b) => a - b);

describe('OntologyGraph on random ontologies', () => {
  it('agrees with a recursive closure in every direction', () => {
    fc.assert(
      fc.property(
        dag,
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (input, picks, others) => {
          const n = input.aspects.length;
          const graph = new OntologyGraph(
            columnsOf(input.aspects, input.edges, { obsolete: input.obsolete }),
          );
          const above = input.aspects.map((_, i) => naiveAncestors(i, input));
          const set = ascending(picks.map((p) => p % n));
          const up = ascending(set.flatMap((t) => [...above[t]]));
          expect([...graph.ancestorsOf(set)]).toEqual(up);
          const down = input.aspects.map((_, i) => i).filter((i) => set.some((t) => above[i].has(t)));
          expect([...graph.descendantsOf(set)]).toEqual(down);
          const leaves = set.filter((t) => !set.some((other) => other !== t && above[other].has(t)));
          expect([...graph.leavesOnly(set)]).toEqual(leaves);
          expect([...graph.ancestorsOf(leaves)]).toEqual(up);
          const second = others.map((p) => p % n);
          const rows = {
            start: Int32Array.of(0, set.length, set.length + second.length),
            terms: Int32Array.from([...set, ...second]),
          };
          const closed = graph.propagateTerms(rows);
          expect([...closed.terms.subarray(0, closed.start[1])]).toEqual(up);
          expect([...closed.terms.subarray(closed.start[1])]).toEqual(
            ascending(second.flatMap((t) => [...above[t]])),
          );
          const rank = new Map([...graph.topologicalOrder].map((t, i) => [t, i]));
          expect(rank.size).toBe(n);
          for (let t = 0; t < n; t++)
            for (const p of graph.parentsOf(t)) expect(rank.get(p)).toBeLessThan(rank.get(t) as number);
        },
      ),
    );
  });

  it('limits a subgraph by steps, relations and direction', () => {
    fc.assert(
      fc.property(
        dag,
        fc.nat(),
        fc.nat({ max: 4 }),
        fc.boolean(),
        fc.subarray(relationNames),
        (input, pick, maxDepth, up, relations) => {
          const n = input.aspects.length;
          const graph = new OntologyGraph(
            columnsOf(input.aspects, input.edges, { obsolete: input.obsolete }),
          );
          const { terms, depth, edges } = graph.subgraph([pick % n], {
            maxDepth,
            relations,
            direction: up ? 'ancestors' : 'descendants',
          });
          const allowed = input.edges.filter((edge) => relations.includes(relationNames[edge[2]]));
          const distance = new Map([[pick % n, 0]]);
          for (let round = 1; round <= maxDepth; round++) {
            for (const t of [...distance.keys()].filter((key) => distance.get(key) === round - 1)) {
              for (const [child, parent] of allowed) {
                const [from, to] = up ? [child, parent] : [parent, child];
                if (from === t && !distance.has(to)) distance.set(to, round);
              }
            }
          }
          const wanted = [...distance].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
          expect([...terms].map((t, i) => [t, depth[i]])).toEqual(wanted);
          const between = allowed.filter(([child, parent]) => distance.has(child) && distance.has(parent));
          const key = (c: number, p: number, r: string) => `${c} ${p} ${r}`;
          expect(edges.map((e) => key(e.child, e.parent, e.relation)).sort()).toEqual(
            between.map(([c, p, r]) => key(c, p, relationNames[r])).sort(),
          );
        },
      ),
    );
  });
});

describe('OntologyGraph', () => {
  it('does not carry annotations into another aspect, over regulates, or to obsolete terms', () => {
    const graph = new OntologyGraph(
      columnsOf(
        ['P', 'P', 'F', 'P', 'P'],
        [
          [1, 0, 0],
          [2, 0, 1],
          [3, 0, 2],
          [4, 0, 0],
          [1, 0, 1],
        ],
        { obsolete: [0, 0, 0, 0, 1] },
      ),
    );
    expect([...graph.ancestorsOf([1])]).toEqual([0, 1]);
    expect([...graph.parentsOf(1)]).toEqual([0]);
    expect([...graph.ancestorsOf([2, 3, 4])]).toEqual([2, 3, 4]);
    expect([...graph.roots('P')]).toEqual([0, 3]);
    expect(graph.subgraph([2]).edges).toEqual([{ child: 2, parent: 0, relation: 'part_of' }]);
  });

  it('resolves alternative ids, a live term before them, them before an obsolete term', () => {
    const graph = new OntologyGraph(
      columnsOf(['P', 'P', 'P'], [], {
        obsolete: [0, 1, 0],
        altIds: [
          ['A', 0],
          ['A', 2],
          ['T1', 2],
          ['T2', 0],
        ],
      }),
    );
    expect(['T0', 'T2', 'A', 'T1', 'X'].map((id) => graph.indexOf(id))).toEqual([0, 2, 0, 2, -1]);
    const plain = new OntologyGraph(columnsOf(['P'], [], { obsolete: [1] }));
    expect([plain.indexOf('T0'), plain.liveIndexOf('T0')]).toEqual([0, -1]);
  });

  it('names a cycle and refuses inconsistent columns and unknown terms', () => {
    expect(
      () =>
        new OntologyGraph(
          columnsOf(
            ['P', 'P', 'P'],
            [
              [0, 1, 0],
              [1, 2, 1],
              [2, 0, 0],
            ],
          ),
        ),
    ).toThrowError(new OntologyCycleError(['T0', 'T1', 'T2', 'T0']));
    expect(() => new OntologyGraph(columnsOf(['P'], [[0, 1, 0]]))).toThrowError(/edge 0 names term 1 of 1/);
    expect(() => new OntologyGraph(columnsOf(['P', 'P'], [[0, 1, 3]]))).toThrowError(/relation 3 of 3/);
    expect(() => new OntologyGraph(columnsOf(['P'], [], { altIds: [['A', 5]] }))).toThrowError(
      /A stands for term 5/,
    );
    expect(() => new OntologyGraph(columnsOf(['P'], [], { termIds: [] }))).toThrowError(RangeError);
    const graph = new OntologyGraph(columnsOf(['P'], []));
    for (const term of [-1, 1, 0.5])
      expect(() => graph.ancestorsOf([term])).toThrowError(/not one of the 1 terms/);
  });

  it('takes a chain of 200,000 terms', () => {
    const n = 200_000;
    const edges = Array.from({ length: n - 1 }, (_, i): Edge => [i + 1, i, 0]);
    const graph = new OntologyGraph(
      columnsOf(
        Array.from({ length: n }, (): OntologyAspect => 'P'),
        edges,
      ),
    );
    expect(graph.ancestorsOf([n - 1]).length).toBe(n);
    expect(graph.leavesOnly(graph.topologicalOrder)).toEqual(Int32Array.of(n - 1));
  });
});

describe('OntologyGraph of the Gene Ontology', () => {
  let graph: OntologyGraph;
  beforeAll(() => {
    const bytes = gunzipSync(readFileSync(join(repositoryRoot(), 'examples', 'go-basic-2022-07-01.obo.gz')));
    graph = OntologyGraph.fromDocument(parseObo(bytes));
  });

  it('has one root per aspect, above every live term of it', () => {
    const roots = (['P', 'F', 'C'] as const).map((aspect) => [...graph.roots(aspect)]);
    expect(roots.map((list) => list.map((t) => graph.termIds[t]))).toEqual([
      ['GO:0008150'],
      ['GO:0003674'],
      ['GO:0005575'],
    ]);
    const below = roots.map((list) => graph.descendantsOf(list).length);
    expect(below.reduce((a, b) => a + b)).toBe(43_558);
    const live = graph.obsolete.filter((flag) => flag === 0).length;
    expect(live).toBe(43_558);
  });

  it.skipIf(sharedData() === null)(
    'gives the known terms of 781 E. coli proteins as another program found them',
    async () => {
      const folder = sharedData('data', 'ecoli-k12') as string;
      const wanted = new Map<string, Set<string>>();
      for (const line of readFileSync(join(folder, 'expected', 'known_t0.tsv'), 'utf8')
        .trim()
        .split('\n')
        .slice(1)) {
        const [accession, term] = line.split('\t');
        if (!wanted.has(accession)) wanted.set(accession, new Set());
        wanted.get(accession)?.add(term);
      }
      const codes = new Set('EXP IDA IPI IMP IGI IEP TAS IC HTP HDA HMP HGI HEP'.split(' '));
      const direct = new Map<string, number[]>([...wanted.keys()].map((accession) => [accession, []]));
      const gaf = gunzipSync(readFileSync(join(folder, '18.E_coli_MG1655.2020-03-03.gaf.gz')));
      for await (const { records } of readGaf(gaf, { keep: (accession) => wanted.has(accession) })) {
        for (const { accession, goId, evidenceCode, negated } of records) {
          const term = graph.liveIndexOf(goId);
          if (codes.has(evidenceCode) && !negated && term >= 0) direct.get(accession)?.push(term);
        }
      }
      const roots = new Set(['GO:0008150', 'GO:0003674', 'GO:0005575']);
      expect(wanted.size).toBeGreaterThan(600);
      for (const [accession, terms] of direct) {
        const ids = [...graph.ancestorsOf(terms)].map((t) => graph.termIds[t]).filter((id) => !roots.has(id));
        expect(new Set(ids), accession).toEqual(wanted.get(accession));
      }
    },
  );
});
