import type { OperationName } from '@kindred/contracts';

/** The titles of jobs on pages. */
const titles: Readonly<Record<OperationName, string>> = {
  ping: 'Test job',
  insert_proteins: 'Loading proteins',
  fetch_uniprot_metadata: 'Reading descriptions from UniProt',
  load_secondary_accessions: 'Loading former accessions',
  load_ontology_snapshot: 'Loading an ontology release',
  load_go_slim: 'Loading a GO slim',
  load_goa_annotations: 'Loading annotations',
  load_quickgo_annotations: 'Loading annotations from QuickGO',
  load_taxonomy: 'Loading the taxonomy',
  load_taxon_constraints: 'Loading taxon constraints',
  compute_embeddings: 'Reading sequences',
  import_embeddings: 'Loading vectors from a file',
  predict_go_terms: 'Annotation run',
  predict_baseline: 'Baseline prediction',
  rescore_by_votes: 'Scoring by votes',
  load_interpro_go_mapping: 'Loading terms of InterPro entries',
  load_interpro_annotations: 'Loading domains and families',
  run_interproscan_batch: 'Searching domains and families',
  predict_go_terms_from_interpro: 'Prediction from domains',
  generate_evaluation_set: 'Making an evaluation set',
  run_cafa_evaluation: 'Evaluation',
  calibrate: 'Measuring what scores mean',
  export_research_dataset: 'Making a dataset',
  load_reference_proteins: 'Loading proteins of a reference',
  load_reference_annotations: 'Loading annotations of a reference',
  build_reference: 'Building a reference',
  measure_reference: 'Measuring a reference',
  verify_reference: 'Verifying a reference',
  pack_reference: 'Packing a reference',
  install_reference: 'Installing a reference',
  plan_reference_download: 'Planning the download of a reference',
  download_reference_files: 'Downloading files of a reference',
};

export const jobOperations: readonly string[] = Object.keys(titles);

/** Returns a job's operation in words. An operation without words of its own has its name spelled out. */
export function jobTitle(operation: string): string {
  const spelled = operation.replaceAll('_', ' ');
  return (
    (titles as Readonly<Record<string, string>>)[operation] ??
    spelled.charAt(0).toUpperCase() + spelled.slice(1)
  );
}
