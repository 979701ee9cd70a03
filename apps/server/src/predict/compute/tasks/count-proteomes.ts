import { type OntologyColumns, OntologyGraph, type TermRows } from '@kindred/kernels/ontology';
import { proteinsWithTerm } from '@kindred/kernels/proteome-matrix';
import { task } from '../../../ground/pool/pool.js';

/** The terms are numbers of the ontology; the rows are the proteins of each proteome. */
export interface CountProteomesInput {
  ontology: OntologyColumns;
  proteomes: TermRows[];
}

/** Counts the proteins of each proteome that have each term. */
function counted({ ontology, proteomes }: CountProteomesInput): Int32Array[] {
  const graph = new OntologyGraph(ontology);
  return proteomes.map((rows) => proteinsWithTerm(graph, rows));
}

export const countProteomesTask = task(import.meta.url, counted);
