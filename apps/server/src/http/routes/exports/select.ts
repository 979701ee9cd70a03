import { noCrossReferences } from '@kindred/kernels/cross-references';
import type { OntologyGraph } from '@kindred/kernels/ontology';
import type { exportFilters } from '@kindred/contracts/resources/exports';
import type { z } from 'zod';
import type { AnswerRows, AnswerTermRow } from '../../../store/predictions/answers.repository.js';
import type { KnownOfProtein } from '../../../store/predictions/known-annotations.repository.js';
import type { SlimTermRow } from '../../../store/ontology/slims.repository.js';
import { asSlimTerms, knownInSlim, type SlimView } from '../../slims.js';
import { answeredRows } from '../answers/present.js';

export interface ExportFilter extends Omit<z.infer<typeof exportFilters>, 'min_ic' | 'specific'> {
  /** Says whether a term is informative enough; without it all are. */
  isInformative?: (goId: string) => boolean;
}

export interface SelectedRows extends AnswerRows {
  /** This number of the query's terms is not among `terms`. */
  leftOut: number;
  /**
   * The taxon is the NCBI taxon of the query, else that of the equal protein of the reference; null if
   * unknown.
   */
  taxonId: number | null;
}

/** Reads the answers page by page, in the order of the answer, with only the terms that the filter takes. */
export async function* selected(
  pages: AsyncIterable<readonly AnswerRows[]>,
  filter: ExportFilter,
): AsyncGenerator<SelectedRows[]> {
  const takes = taken(filter);
  for await (const page of pages)
    yield page.map((rows) => {
      const terms = unfolded(answeredRows(rows.terms, filter.all ?? false).filter(takes));
      const known = rows.known === null ? null : knownTaken(rows.known, filter);
      const taxonId = rows.terms[0]?.query_taxonomy_id ?? known?.protein.taxonomy_id ?? null;
      return { ...rows, known, terms, leftOut: rows.query.term_count - terms.length, taxonId };
    });
}

/** Gives rows with terms of a slim. Each has the values of the best term below it by `value`. */
export async function* slimmed(
  pages: AsyncIterable<readonly SelectedRows[]>,
  view: SlimView,
  value?: (row: AnswerTermRow) => number,
): AsyncGenerator<SelectedRows[]> {
  for await (const page of pages)
    yield page.map((rows) => {
      const known = rows.known === null ? null : knownInSlim(rows.known, view);
      const put = (row: AnswerTermRow, { go_id, name, aspect }: SlimTermRow): AnswerTermRow => ({
        ...row,
        go_id,
        go_name: name,
        go_aspect: aspect,
        is_known: known === null ? null : row.is_known === true || known.ids.has(go_id),
        folded_under: null,
        // A term of a slim stands for other terms, whose numbers are not its own.
        ...noCrossReferences,
      });
      return { ...rows, known, terms: asSlimTerms(rows.terms, view, put, value) };
    });
}

/** Gives rows without the terms that another term of the protein, known or predicted, implies. */
export async function* mostSpecific(
  pages: AsyncIterable<readonly SelectedRows[]>,
  graph: OntologyGraph,
): AsyncGenerator<SelectedRows[]> {
  for await (const page of pages)
    yield page.map((rows) => {
      const own = (rows.known?.terms ?? []).filter((term) => !term.is_negated);
      const numbers = [...own, ...rows.terms].map(({ go_id }) => graph.liveIndexOf(go_id));
      const leaves = new Set(graph.leavesOnly(numbers.filter((number) => number >= 0)));
      // A term that this ontology does not have is implied by no other.
      const isLeaf = (goId: string): boolean => {
        const number = graph.liveIndexOf(goId);
        return number < 0 || leaves.has(number);
      };
      const terms = rows.terms
        .filter((row) => isLeaf(row.go_id))
        .map((row) => ({ ...row, folded_under: null }));
      const known = rows.known && {
        ...rows.known,
        terms: rows.known.terms.filter((term) => term.is_negated || isLeaf(term.go_id)),
      };
      return { ...rows, known, terms, leftOut: rows.leftOut + rows.terms.length - terms.length };
    });
}

/** A term is not folded under a term that the filter left out. */
function unfolded(terms: readonly AnswerTermRow[]): AnswerTermRow[] {
  const kept = new Set(terms.map((row) => row.go_id));
  return terms.map((row) =>
    row.folded_under === null || kept.has(row.folded_under) ? row : { ...row, folded_under: null },
  );
}

/**
 * Keeps annotations of the requested aspect and evidence, with informative terms. Filters by probability and score concern
 * predictions only.
 */
function knownTaken(known: KnownOfProtein, filter: ExportFilter): KnownOfProtein {
  const { aspect, evidence, isInformative = () => true } = filter;
  const terms = known.terms
    .filter((term) => (aspect === undefined || term.aspect === aspect) && isInformative(term.go_id))
    .map((term) => ({
      ...term,
      annotations: term.annotations.filter(
        ({ evidence_code }) => evidence === undefined || evidence.includes(evidence_code),
      ),
    }))
    .filter(({ annotations }) => annotations.length > 0);
  return { ...known, terms };
}

function taken(filter: ExportFilter): (row: AnswerTermRow) => boolean {
  const { aspect, min_probability: minProbability, min_score: minScore, contradicted = false } = filter;
  const { isInformative = () => true } = filter;
  const evidence = filter.evidence === undefined ? null : new Set(filter.evidence);
  return (row) =>
    (contradicted || row.contradiction === null) &&
    (aspect === undefined || row.go_aspect === aspect) &&
    (minProbability === undefined || (row.probability !== null && row.probability >= minProbability)) &&
    (minScore === undefined || row.score >= minScore) &&
    isInformative(row.go_id) &&
    (evidence === null || (row.evidence_code !== null && evidence.has(row.evidence_code)));
}
