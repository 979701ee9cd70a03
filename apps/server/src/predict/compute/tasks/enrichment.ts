import {
  type AnnotatedProteins,
  type CountedProteins,
  type EnrichmentMethod,
  type ListAnswer,
  listEnrichment,
} from '@kindred/kernels/enrichment';
import { type OntologyColumns, OntologyGraph } from '@kindred/kernels/ontology';
import { task } from '../../../ground/pool/pool.js';

/** The terms are numbers of the ontology. */
export interface EnrichmentTaskInput {
  ontology: OntologyColumns;
  annotated: AnnotatedProteins;
  list: string[];
  population: string[] | null;
  /** The slim has these terms; null means no slim. */
  slim: number[] | null;
  method: EnrichmentMethod;
  /** These proteins belong to the population, too; null means none. */
  others: CountedProteins | null;
}

/** Finds terms that a list of proteins has more or less often than its population. */
function enriched({ ontology, annotated, others, ...question }: EnrichmentTaskInput): ListAnswer {
  return listEnrichment(
    new OntologyGraph(ontology),
    annotated,
    {
      ...question,
      list: new Set(question.list),
      population: question.population === null ? null : new Set(question.population),
    },
    others,
  );
}

export const enrichmentTask = task(import.meta.url, enriched);
