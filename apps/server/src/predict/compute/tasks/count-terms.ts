import { type EnrichmentMethod, slimmedCounts, type TermCounts } from '@kindred/kernels/enrichment';
import { type OntologyColumns, OntologyGraph, type TermRows } from '@kindred/kernels/ontology';
import { task } from '../../../ground/pool/pool.js';

/** The terms are numbers of the ontology. */
export interface CountTermsInput {
  ontology: OntologyColumns;
  rows: TermRows;
  /** The slim has these terms; null means no slim. */
  slim: number[] | null;
  method: EnrichmentMethod;
}

/** Counts the proteins that have each term, for enrichment. */
function counted({ ontology, rows, slim, method }: CountTermsInput): TermCounts {
  return slimmedCounts(new OntologyGraph(ontology), rows, { slim, method });
}

export const countTermsTask = task(import.meta.url, counted);
