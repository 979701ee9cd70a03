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
  falseDiscoveryRates,
  oneSided,
  SlimMapping,
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

interface Golden {
  sizes: [number, Record<string, number>];
  /** Term, count in the list, count in the population, p, rate. */
  enriched: Record<string, [string, number, number, number, number][]>;
  /** Slim terms of a term: direct, all. */
  slim: Record<string, [string[], string[]]>;
}
const golden = JSON.parse(readFileSync(new URL('golden/goatools.json', import.meta.url), 'utf8')) as Golden;
const ecoli = sharedData('data', 'ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz');
const slimFile = sharedData('data', 'ontology', 'goslim_generic.2026-05-19.obo');

/** goatools follows is_a alone. */
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
  it.each<[string, () => string[]]>([
    ['every 20th', () => population.filter((_, at) => at % 20 === 0)],
    ['plasma membrane', () => population.filter(has('GO:0005886'))],
    ['DNA binding, first 100', () => population.filter(has('GO:0003677')).slice(0, 100)],
  ])('is enriched alike: %s', (name, list) => {
    const studied = new Set(list());
    expect(studied.size).toBe(golden.sizes[1][name]);
    const isStudied = Uint8Array.from(population, (accession) => Number(studied.has(accession)));
    const found = new Map(
      enrichment(graph, { rows, isStudied }, 'classic').map((row) => [graph.termIds[row.term], row]),
    );
    expect(golden.enriched[name].length).toBeGreaterThan(100);
    for (const [goId, study, count, p, q] of golden.enriched[name]) {
      const row = found.get(goId) as EnrichedTerm;
      expect([goId, row.studyCount, row.populationCount]).toEqual([goId, study, count]);
      expect(Math.abs(row.pValue - p), `${goId} ${row.pValue} ${p}`).toBeLessThan(1e-9);
      // Below the smallest number SciPy has 0.
      if (p > 0) expect(Math.abs(row.pValue / p - 1), goId).toBeLessThan(1e-7);
      expect(Math.abs(row.qValue - q), `${goId} ${row.qValue} ${q}`).toBeLessThan(1e-9);
    }
  });

  it('compares with the parents: a term that all proteins of its parents have says nothing', () => {
    const isStudied = Uint8Array.from(population, (_, at) => Number(at % 20 === 0));
    const closure = graph.propagateTerms(rows);
    for (const row of enrichment(graph, { rows, isStudied }, 'parent_child').slice(0, 40)) {
      const parents = new Set(graph.parentsOf(row.term));
      const withParent = population.map((_, at) =>
        closure.terms.subarray(closure.start[at], closure.start[at + 1]).some((term) => parents.has(term)),
      );
      const size = withParent.filter(Boolean).length;
      const studied = withParent.filter((one, at) => one && isStudied[at] === 1).length;
      if (parents.size > 0) expect([row.studySize, row.populationSize]).toEqual([studied, size]);
      expect(row.pValue).toBe(
        oneSided({
          found: row.studyCount,
          drawn: row.studySize,
          marked: row.populationCount,
          population: row.populationSize,
        }),
      );
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
  });
});
