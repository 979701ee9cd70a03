/** What jobs are called on pages. */
const titles: Readonly<Record<string, string>> = {
  compute_embeddings: 'Reading sequences',
  predict_go_terms: 'Annotation run',
  predict_baseline: 'Baseline prediction',
  predict_from_interpro: 'Prediction from domains',
  rescore_by_votes: 'Scoring by votes',
  load_ontology_snapshot: 'Loading an ontology release',
  load_goa_annotations: 'Loading annotations',
  load_quickgo_annotations: 'Loading annotations from QuickGO',
  load_taxonomy: 'Loading the taxonomy',
  load_taxon_constraints: 'Loading taxon constraints',
  insert_proteins: 'Loading proteins',
  fetch_uniprot_metadata: 'Reading descriptions from UniProt',
  run_evaluation: 'Evaluation',
  generate_evaluation_set: 'Making an evaluation set',
  ping: 'Test job',
};

/** Operations that have words. */
export const jobOperations: readonly string[] = Object.keys(titles);

/** A job's operation in words; one without words of its own has its name spelled out. */
export function jobTitle(operation: string): string {
  const spelled = operation.replaceAll('_', ' ');
  return titles[operation] ?? spelled.charAt(0).toUpperCase() + spelled.slice(1);
}
