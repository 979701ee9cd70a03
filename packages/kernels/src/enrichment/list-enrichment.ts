import type { OntologyGraph, TermRows } from '../ontology/index.js';
import { type EnrichedTerm, enrichment, type EnrichmentMethod } from './enrichment.js';
import { SlimMapping } from './slim.js';

/** Proteins with their direct terms: row i belongs to `accessions[i]`; each protein once. */
export interface AnnotatedProteins {
  accessions: readonly string[];
  rows: TermRows;
}

/** Collects proteins with their direct terms, one after the other; each protein once. */
export class AnnotatedProteinList {
  readonly #accessions: string[] = [];
  readonly #start = [0];
  readonly #terms: number[] = [];

  /** @param terms numbers of the graph */
  add(accession: string, terms: Iterable<number>): void {
    this.#accessions.push(accession);
    for (const term of terms) this.#terms.push(term);
    this.#start.push(this.#terms.length);
  }

  columns(): AnnotatedProteins {
    const rows = { start: Int32Array.from(this.#start), terms: Int32Array.from(this.#terms) };
    return { accessions: this.#accessions, rows };
  }
}

export interface ListQuestion {
  list: ReadonlySet<string>;
  /** Proteins to compare with, whether they have a term or not; null: all annotated ones. */
  population: ReadonlySet<string> | null;
  method: EnrichmentMethod;
  /** Count terms as these terms, and test those alone; null: all terms. Numbers of the graph. */
  slim: readonly number[] | null;
}

export interface ListAnswer {
  /** Tested terms as `enrichment` gives them. */
  tested: EnrichedTerm[];
  /** Number of proteins of the list that the population has, and the absent ones, in the order of the list. */
  studied: number;
  absent: string[];
  population: number;
}

/** Terms that a list of proteins has more or less often than its population. Cost: as of `enrichment`. */
export function listEnrichment(
  graph: OntologyGraph,
  { accessions, rows }: AnnotatedProteins,
  { list, population, method, slim }: ListQuestion,
): ListAnswer {
  const numberOf = new Map(accessions.map((accession, at) => [accession, at]));
  const compared = population === null ? accessions : [...population];
  const known = population ?? numberOf;
  const absent = [...list].filter((accession) => !known.has(accession));
  const mapping = slim === null ? null : new SlimMapping(graph, slim);
  const start = new Int32Array(compared.length + 1);
  const terms: number[] = [];
  for (const [at, accession] of compared.entries()) {
    const number = numberOf.get(accession);
    if (number !== undefined) for (const term of termsOf(rows, number, mapping)) terms.push(term);
    start[at + 1] = terms.length;
  }
  const input = {
    rows: { start, terms: Int32Array.from(terms) },
    isStudied: Uint8Array.from(compared, (accession) => Number(list.has(accession))),
  };
  const tested = enrichment(graph, input, method, slim === null ? null : new Set(slim));
  return { tested, studied: list.size - absent.length, absent, population: compared.length };
}

function termsOf({ start, terms }: TermRows, row: number, mapping: SlimMapping | null): Iterable<number> {
  const own = terms.subarray(start[row], start[row + 1]);
  return mapping === null ? own : new Set(Array.from(own).flatMap((term) => [...mapping.of(term).all]));
}
