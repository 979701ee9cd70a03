import type { AnnotatedProteins, EnrichmentMethod, ListAnswer } from '@kindred/kernels/enrichment';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { ComputeTask } from '../../ground/pool/pool.js';

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
export const enrichmentTask: ComputeTask<EnrichmentTaskInput, ListAnswer> = {
  file: new URL('./tasks/enrichment.js', import.meta.url),
  export: 'enriched',
};
