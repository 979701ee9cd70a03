import { type ListAnswer, listEnrichment } from '@kindred/kernels/enrichment';
import { OntologyGraph } from '@kindred/kernels/ontology';
import type { EnrichmentTaskInput } from '../enrichment-tasks.js';

/** Terms that a list of proteins has more or less often than its population. */
export function enriched(input: EnrichmentTaskInput): ListAnswer {
  const graph = new OntologyGraph(input.ontology);
  const slim = input.slim?.map((goId) => graph.liveIndexOf(goId)).filter((term) => term >= 0) ?? null;
  return listEnrichment(graph, input.annotated, {
    list: new Set(input.list),
    population: input.population === null ? null : new Set(input.population),
    method: input.method,
    slim,
  });
}
