import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNegated, readGaf } from '../formats/index.js';
import { ontologyColumns, OntologyGraph, parseObo, type TermRows } from '../ontology/index.js';
import {
  type EnrichedTerm,
  enrichment,
  type EnrichmentMethod,
  falseDiscoveryRates,
  enrichmentMethods,
  hasOwnCounts,
  listEnrichment,
  oneSided,
  SlimMapping,
  slimmedCounts,
  twoSided,
} from './index.js';

describe("Fisher's exact test", () => {
  it('gives the textbook value of the tea tasting lady', () => {
    const table = { found: 3, drawn: 4, marked: 4, population: 8 };
    expect(oneSided(table)).toBeCloseTo(17 / 70, 12);
    expect(twoSided(table)).toBeCloseTo(34 / 70, 12);
  });

  it('is the sum over all tables, counted one by one', () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    const counts = fc.integer({ min: 1, max: 25 }).chain((population) =>
      fc.record({
        population: fc.constant(population),
        drawn: fc.integer({ min: 0, max: population }),
        marked: fc.integer({ min: 0, max: population }),
        at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      }),
    );
    fc.assert(
      fc.property(counts, ({ population, drawn, marked, at }) => {
        const least = Math.max(0, drawn + marked - population);
        const most = Math.min(drawn, marked);
        const found = least + Math.floor(at * (most - least + 1));
        const point = (k: number) =>
          (choose(marked, k) * choose(population - marked, drawn - k)) / choose(population, drawn);
        const all = Array.from({ length: most - least + 1 }, (_, i) => least + i);
        const sum = (kept: (k: number) => boolean) =>
          all.filter(kept).reduce((total, k) => total + point(k), 0);
        const table = { found, drawn, marked, population };
        expect(oneSided(table)).toBeCloseTo(
          sum((k) => k >= found),
          10,
        );
        expect(twoSided(table)).toBeCloseTo(
          sum((k) => point(k) <= point(found) * (1 + 1e-7)),
          10,
        );
      }),
    );
  });

  it('refuses counts that no table has', () => {
    expect(() => oneSided({ found: 3, drawn: 2, marked: 5, population: 9 })).toThrow(/no table has 3/);
    expect(() => twoSided({ found: 0, drawn: 8, marked: 5, population: 9 })).toThrow(RangeError);
  });
});

it('never lets a rate fall with the p value, and keeps the last', () => {
  expect(falseDiscoveryRates([0.01, 0.02, 0.03, 0.9])).toEqual([0.04, 0.04, 0.04, 0.9]);
  expect(falseDiscoveryRates([])).toEqual([]);
});

describe('proteins that were counted before', () => {
  /** Terms are numbers, with edges from each to earlier ones; the first three terms are the roots. */
  const world = fc.integer({ min: 4, max: 14 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      edges: fc.array(
        fc
          .tuple(fc.integer({ min: 1, max: size - 1 }), fc.nat({ max: size - 2 }))
          .map(([child, parent]): [number, number] => [child, parent % child]),
        { maxLength: 24 },
      ),
      proteins: fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 4 }), {
        minLength: 1,
        maxLength: 25,
      }),
      /**
       * The kind of each protein: 0 was counted before; 1 was counted before and left out again; 2 is of the list; 3 is none of these.
       */
      kinds: fc.array(fc.nat({ max: 3 }), { minLength: 25, maxLength: 25 }),
      slim: fc.option(fc.uniqueArray(fc.nat({ max: size - 1 }), { minLength: 1 })),
      method: fc.constantFrom(...enrichmentMethods),
    }),
  );
  const rowsOf = (proteins: readonly number[][]): TermRows => ({
    start: Int32Array.from([0, ...proteins.map((_, at) => proteins.slice(0, at + 1).flat().length)]),
    terms: Int32Array.from(proteins.flat()),
  });

  it('count as if they were there, by every method, with a slim and without', () => {
    fc.assert(
      fc.property(world, ({ size, edges, proteins, kinds, slim, method }) => {
        const unique = [...new Map(edges.map((edge) => [edge.join(), edge])).values()];
        const graph = new OntologyGraph({
          termIds: Array.from({ length: size }, (_, term) => `GO:${String(term).padStart(7, '0')}`),
          namespaces: ['biological_process'],
          namespace: new Uint8Array(size),
          obsolete: new Uint8Array(size),
          edgeChild: Int32Array.from(unique, ([child]) => child),
          edgeParent: Int32Array.from(unique, ([, parent]) => parent),
          edgeRelation: new Uint8Array(unique.length),
          relationNames: ['is_a', 'part_of'],
          altIds: [],
          altTerms: new Int32Array(0),
        });
        const named = proteins.map((terms, at) => ({ name: `P${at}`, terms, kind: kinds[at] }));
        const columns = (kept: typeof named) => ({
          accessions: kept.map(({ name }) => name),
          rows: rowsOf(kept.map(({ terms }) => terms)),
        });
        const question = {
          list: new Set(named.flatMap(({ name, kind }) => (kind === 2 ? [name] : []))),
          population: null,
          method,
          slim,
        };
        const slow = listEnrichment(graph, columns(named.filter(({ kind }) => kind !== 1)), question);
        const before = columns(named.filter(({ kind }) => kind < 2));
        const fast = listEnrichment(graph, columns(named.filter(({ kind }) => kind >= 2)), question, {
          counts: slimmedCounts(graph, before.rows, question),
          without: columns(named.filter(({ kind }) => kind === 1)).rows,
        });
        expect(fast).toEqual(slow);
        // Counts that need no slim are the same for every question.
        if (!hasOwnCounts(question)) {
          const plain = slimmedCounts(graph, before.rows, { method: 'classic', slim: null });
          expect(slimmedCounts(graph, before.rows, question)).toEqual(plain);
        }
      }),
      { numRuns: 300 },
    );
  });
});

interface Golden {
  sizes: [number, Record<string, number>];
  /** Each entry has the term, the count in the list, the count in the population, p, and the rate. */
  enriched: Record<string, [string, number, number, number, number][]>;
  /** Each entry has the term, the counts in the list with the term and with a parent, the same in the population, p, and the rate. */
  parent_child: Record<string, [string, number, number, number, number, number, number][]>;
  /** The slim terms of each term: the direct ones, and all. */
  slim: Record<string, [string[], string[]]>;
  /** The number of all annotated terms; the digest covers a line for each of them. */
  slim_terms: number;
  slim_sha256: string;
}
const golden = JSON.parse(readFileSync(new URL('golden/goatools.json', import.meta.url), 'utf8')) as Golden;
const ecoli = sharedData('data', 'ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz');
const slimFile = sharedData('data', 'ontology', 'goslim_generic.2026-05-19.obo');

/** The graph has is_a alone, because goatools follows nothing else. */
function isAGraph(): OntologyGraph {
  const obo = gunzipSync(
    readFileSync(new URL('../../../../examples/go-basic-2022-07-01.obo.gz', import.meta.url)),
  );
  const columns = ontologyColumns(parseObo(obo));
  const isA = columns.relationNames.indexOf('is_a');
  const kept = (column: Int32Array | Uint8Array) =>
    column.filter((_, edge) => columns.edgeRelation[edge] === isA);
  return new OntologyGraph({
    ...columns,
    edgeChild: kept(columns.edgeChild) as Int32Array,
    edgeParent: kept(columns.edgeParent) as Int32Array,
    edgeRelation: kept(columns.edgeRelation) as Uint8Array,
  });
}

describe.runIf(ecoli !== null && slimFile !== null)('E. coli, as goatools has it', () => {
  let graph: OntologyGraph;
  let population: string[];
  let rows: TermRows;
  const direct = new Map<string, Set<number>>();

  it('has the same proteins', async () => {
    graph = isAGraph();
    const bytes = gunzipSync(readFileSync(ecoli as string));
    for await (const { records } of readGaf([bytes])) {
      for (const { database, accession, goId, qualifier, evidenceCode } of records) {
        const term = graph.liveIndexOf(goId);
        if (database !== 'UniProtKB' || isNegated(qualifier) || evidenceCode === 'ND' || term < 0) continue;
        direct.set(accession, (direct.get(accession) ?? new Set()).add(term));
      }
    }
    population = [...direct.keys()].sort();
    expect(population.length).toBe(golden.sizes[0]);
    const start = new Int32Array(population.length + 1);
    const terms: number[] = [];
    population.forEach((accession, at) => {
      terms.push(...(direct.get(accession) as Set<number>));
      start[at + 1] = terms.length;
    });
    rows = { start, terms: Int32Array.from(terms) };
  });

  const has = (goId: string) => (accession: string) =>
    direct.get(accession)?.has(graph.indexOf(goId)) ?? false;
  const lists: [string, () => string[]][] = [
    ['every 20th', () => population.filter((_, at) => at % 20 === 0)],
    ['plasma membrane', () => population.filter(has('GO:0005886'))],
    ['DNA binding, first 100', () => population.filter(has('GO:0003677')).slice(0, 100)],
  ];
  function enrichedIn(name: string, list: string[], method: EnrichmentMethod): Map<string, EnrichedTerm> {
    const studied = new Set(list);
    expect(studied.size).toBe(golden.sizes[1][name]);
    const isStudied = Uint8Array.from(population, (accession) => Number(studied.has(accession)));
    return new Map(
      enrichment(graph, { rows, isStudied }, method).map((row) => [graph.termIds[row.term], row]),
    );
  }
  function expectNear(goId: string, { pValue, qValue }: EnrichedTerm, p: number, q: number): void {
    expect(Math.abs(pValue - p), `${goId} ${pValue} ${p}`).toBeLessThan(1e-9);
    // SciPy returns 0 for values below the smallest positive number.
    if (p > 0) expect(Math.abs(pValue / p - 1), goId).toBeLessThan(1e-7);
    expect(Math.abs(qValue - q), `${goId} ${qValue} ${q}`).toBeLessThan(1e-9);
  }

  it.each(lists)('is enriched alike: %s', (name, list) => {
    const found = enrichedIn(name, list(), 'classic');
    expect(golden.enriched[name].length).toBeGreaterThan(100);
    for (const [goId, study, count, p, q] of golden.enriched[name]) {
      const row = found.get(goId) as EnrichedTerm;
      expect([goId, row.studyCount, row.populationCount]).toEqual([goId, study, count]);
      expectNear(goId, row, p, q);
    }
  });

  it.each(lists)('is enriched alike among the proteins that have a parent: %s', (name, list) => {
    const found = enrichedIn(name, list(), 'parent_child');
    expect(golden.parent_child[name].length).toBeGreaterThan(100);
    for (const [goId, study, drawn, count, among, p, q] of golden.parent_child[name]) {
      const row = found.get(goId) as EnrichedTerm;
      const counts = [row.studyCount, row.studySize, row.populationCount, row.populationSize];
      expect([goId, ...counts]).toEqual([goId, study, drawn, count, among]);
      expectNear(goId, row, p, q);
    }
  });

  it('has the same slim terms', () => {
    const slim = parseObo(readFileSync(slimFile as string))
      .terms.map((term) => graph.liveIndexOf(term.id))
      .filter((term) => term >= 0);
    const mapping = new SlimMapping(graph, slim);
    const ids = (terms: Int32Array) => Array.from(terms, (term) => graph.termIds[term]).sort();
    for (const [goId, [ours, all]] of Object.entries(golden.slim)) {
      const mapped = mapping.of(graph.indexOf(goId));
      expect([goId, ids(mapped.direct), ids(mapped.all)]).toEqual([goId, ours, all]);
    }
    const lines = [...new Set(rows.terms)].map((term) => {
      const mapped = mapping.of(term);
      return `${graph.termIds[term]}\t${ids(mapped.direct).join(',')}\t${ids(mapped.all).join(',')}\n`;
    });
    expect(lines.length).toBe(golden.slim_terms);
    expect(createHash('sha256').update(lines.sort().join('')).digest('hex')).toBe(golden.slim_sha256);
  });
});
