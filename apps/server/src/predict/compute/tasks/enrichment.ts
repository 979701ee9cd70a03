import {
  type AnnotatedProteins,
  type EnrichmentMethod,
  type ListAnswer,
  listEnrichment,
} from '@kindred/kernels/enrichment';
import { type OntologyColumns, OntologyGraph } from '@kindred/kernels/ontology';
import { task } from '../../../ground/pool/pool.js';

/** Terms are numbers of the ontology. */
export interface EnrichmentTaskInput {
  ontology: OntologyColumns;
  annotated: AnnotatedProteins;
  list: string[];
  population: string[] | null;
  /** GO ids; null: no slim. */
  slim: string[] | null;
  method: EnrichmentMethod;
}

/** Terms that a list of proteins has more or less often than its population. */
function enriched(input: EnrichmentTaskInput): ListAnswer {
  const graph = new OntologyGraph(input.ontology);
  const slim = input.slim?.map((goId) => graph.liveIndexOf(goId)).filter((term) => term >= 0) ?? null;
  return listEnrichment(graph, input.annotated, {
    list: new Set(input.list),
    population: input.population === null ? null : new Set(input.population),
    method: input.method,
    slim,
  });
}

export const enrichmentTask = task(import.meta.url, enriched);
