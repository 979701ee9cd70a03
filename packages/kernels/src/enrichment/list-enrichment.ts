import type { OntologyGraph, TermRows } from '../ontology/index.js';
import {
  countTerms,
  type EnrichedTerm,
  enrichment,
  type EnrichmentMethod,
  type TermCounts,
  withoutCounts,
} from './enrichment.js';
import { SlimMapping } from './slim.js';

/** The proteins with their direct terms: row i belongs to `accessions[i]`, and each protein occurs once. */
export interface AnnotatedProteins {
  accessions: readonly string[];
  rows: TermRows;
}

/** Collects proteins with their direct terms, one after the other. Each protein may be added once. */
export class AnnotatedProteinList {
  readonly #accessions: string[] = [];
  readonly #start = [0];
  readonly #terms: number[] = [];

  /** @param terms numbers of terms in the graph */
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
  /** The proteins to compare with, whether they have a term or not; null means all annotated ones. */
  population: ReadonlySet<string> | null;
  method: EnrichmentMethod;
  /** The terms, as numbers of the graph, that all terms are mapped to and that alone are tested; null means all terms. */
  slim: readonly number[] | null;
}

export interface ListAnswer {
  /** The tested terms, as `enrichment` gives them. */
  tested: EnrichedTerm[];
  /** The number of proteins of the list that the population has, and the absent ones in the order of the list. */
  studied: number;
  absent: string[];
  population: number;
}

/** A large set of proteins that was counted once. */
export interface CountedProteins {
  /** The counts of the set, as `slimmedCounts` gives them for the slim and the method of the question. */
  counts: TermCounts;
  /**
   * The direct terms of proteins of the set that are left out, because they are among the annotated ones, or queries are equal to them.
   */
  without: TermRows;
}

/**
 * Finds the terms that a list of proteins has more or less often than its population.
 *
 * @param others more proteins of the population, none of them in the list; not allowed if the question has a population
 * Cost: as that of `enrichment` for the annotated proteins; of the others only the terms of those that are left out.
 */
export function listEnrichment(
  graph: OntologyGraph,
  { accessions, rows }: AnnotatedProteins,
  { list, population, method, slim }: ListQuestion,
  others: CountedProteins | null = null,
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
  const counted =
    others === null
      ? undefined
      : withoutCounts(others.counts, slimmedCounts(graph, others.without, { method, slim }));
  const input = {
    rows: { start, terms: Int32Array.from(terms) },
    isStudied: Uint8Array.from(compared, (accession) => Number(list.has(accession))),
    others: counted,
  };
  const tested = enrichment(graph, input, method, slim === null ? null : new Set(slim));
  const size = compared.length + (counted?.proteins ?? 0);
  return { tested, studied: list.size - absent.length, absent, population: size };
}

/** Says whether counts for this question differ from those that all other questions share. */
export const hasOwnCounts = ({ method, slim }: Pick<ListQuestion, 'method' | 'slim'>): boolean =>
  method === 'parent_child' && slim !== null;

/**
 * Counts proteins as a question needs them. A protein has a term of a slim if it has one below it, so terms of the slim count alike with
 * and without the slim; only the parents of a term are those among the slim's terms.
 */
export function slimmedCounts(
  graph: OntologyGraph,
  rows: TermRows,
  question: Pick<ListQuestion, 'method' | 'slim'>,
): TermCounts {
  const { slim } = question;
  if (slim === null || !hasOwnCounts(question)) return countTerms(graph, rows);
  const mapping = new SlimMapping(graph, slim);
  const start = new Int32Array(rows.start.length);
  const terms: number[] = [];
  for (let row = 0; row + 1 < start.length; row++) {
    for (const term of termsOf(rows, row, mapping)) terms.push(term);
    start[row + 1] = terms.length;
  }
  return countTerms(graph, { start, terms: Int32Array.from(terms) });
}

function termsOf({ start, terms }: TermRows, row: number, mapping: SlimMapping | null): Iterable<number> {
  const own = terms.subarray(start[row], start[row + 1]);
  return mapping === null ? own : new Set(Array.from(own).flatMap((term) => [...mapping.of(term).all]));
}
