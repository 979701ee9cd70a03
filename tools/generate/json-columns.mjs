// The types of jsonb columns that do not hold an arbitrary object: a type of store/postgres/column-types.ts, or a built-in one.
export const jsonColumns = {
  'annotation_set.statistics': 'Generated<Jsonb<AnnotationStatistics>>',
  'evaluation_result.artifacts': 'Generated<Jsonb<StoredResultArtifact[]>>',
  'evaluation_result.intervals': 'Jsonb<ResultIntervals>',
  'evaluation_result.results': 'Jsonb<ResultFigures>',
  'evaluation_set.stats': 'Jsonb<EvaluationStatistics>',
  'idempotency_key.body': 'Jsonb<unknown>',
  'idempotency_key.headers': 'Jsonb<Record<string, string>>',
  'interpro_mapping.header': 'Generated<Jsonb<Record<string, string>>>',
  'ontology_snapshot.term_counts': 'Jsonb<TermCounts>',
  'reference.inputs': 'Generated<Jsonb<ReferenceInputs>>',
  'reference.left_out': 'Generated<Jsonb<Record<string, number>>>',
  'reference.parts': 'Generated<Jsonb<ReferencePart[]>>',
  'reference.reliability': 'Jsonb<ReferenceReliability>',
  'reranker_model.feature_importance': 'Jsonb<Record<string, number>>',
  'source_checkpoint.counts': 'Generated<Jsonb<Record<string, number>>>',
  'taxonomy.files': 'Jsonb<TaxonomyFile[]>',
};
