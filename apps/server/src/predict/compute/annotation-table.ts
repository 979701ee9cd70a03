import {
  AnnotationCollector,
  type AnnotationPairs,
  type AnnotationTable,
  type EvaluationOntology,
} from '@kindred/kernels/evaluation';

export function annotationTable(ontology: EvaluationOntology, pairs: AnnotationPairs): AnnotationTable {
  const collector = new AnnotationCollector(ontology);
  collector.addColumns(pairs);
  return collector.end();
}
