// This file has no import, since the first load of the web client has it.

/**
 * The words for everything that can depend on a row, for one and for several. Lists have them in this order. A table that gets a foreign
 * key needs words here.
 */
export const dependentWords = {
  reference: ['reference', 'references'],
  annotation_set: ['annotation set', 'annotation sets'],
  evaluation_set: ['evaluation set', 'evaluation sets'],
  prediction_set: ['run', 'runs'],
  unsaved_run: ['run that is not kept', 'runs that are not kept'],
  evaluation_result: ['evaluation result', 'evaluation results'],
  query_set: ['upload', 'uploads'],
  unfinished_job: ['job that has not ended', 'jobs that have not ended'],
  waiting_job: ['job that needs it, and is cancelled', 'jobs that need it, and are cancelled'],
  job: ['job', 'jobs'],
  experiment_run: ['experiment', 'experiments'],
  dataset: ['dataset', 'datasets'],
  reranker_model: ['re-ranker', 're-rankers'],
  go_slim: ['GO slim', 'GO slims'],
  annotate_reference: ['choice of what runs use', 'choices of what runs use'],
  protein_go_annotation: ['annotation', 'annotations'],
  sequence_embedding: ['vector', 'vectors'],
  embedding_projection: ['projection of its vectors', 'projections of its vectors'],
  calibration_curve: ['calibration curve', 'calibration curves'],
  information_accretion: ['table of information accretion', 'tables of information accretion'],
  go_prediction: ['prediction', 'predictions'],
  go_prediction_pair_features: ['row of features', 'rows of features'],
  prediction_set_protein: ['protein of a run', 'proteins of runs'],
  query_set_entry: ['uploaded sequence', 'uploaded sequences'],
  query_set_hit_file: ['uploaded table of hits', 'uploaded tables of hits'],
  stated_term_file: ["file of another program's terms", "files of other programs' terms"],
  stated_terms: ["protein with another program's terms", "proteins with other programs' terms"],
  query_set_hits: ['protein with uploaded hits', 'proteins with uploaded hits'],
  evaluation_truth: ['true term of a protein', 'true terms of proteins'],
  evaluation_resamples: ['series of resampled figures', 'series of resampled figures'],
  reference_protein: ['place in its list of proteins', 'places in its list of proteins'],
  reference_vectors: ['link to its vectors', 'links to its vectors'],
  reference_pack: ['pack', 'packs'],
  experiment_run_member: ['link to a member', 'links to members'],
  job_event: ['entry of its log', 'entries of its log'],
  job_comment: ['comment', 'comments'],
  job_batch: ['part of the work', 'parts of the work'],
  source_checkpoint: ['mark where a download goes on', 'marks where a download goes on'],
  interproscan_submission: ['search of InterProScan', 'searches of InterProScan'],
  interpro_mapping: ['mapping of InterPro', 'mappings of InterPro'],
  taxonomy: ['taxonomy', 'taxonomies'],
  taxon_constraints: ['list of taxon constraints', 'lists of taxon constraints'],
  secondary_accession_source: ['list of former accessions', 'lists of former accessions'],
  api_key: ['API key', 'API keys'],
  user_session: ['session', 'sessions'],
  webhook: ['webhook', 'webhooks'],
  webhook_delivery: ['delivery of a webhook', 'deliveries of webhooks'],
  mail_token: ['link sent by mail', 'links sent by mail'],
  user_identity: ['linked institution', 'linked institutions'],
  passkey: ['passkey', 'passkeys'],
  login_address: ['known address of sign-ins', 'known addresses of sign-ins'],
} as const satisfies Record<string, readonly [one: string, several: string]>;
export type DependentKind = keyof typeof dependentWords;

/** Headings for what happens to dependent rows, by their place in the reply. */
export const dependentHeadings = {
  first: 'First delete what needs it:',
  deleted: 'With it go:',
  kept: 'These stay, without it:',
} as const;

interface Rows {
  words: string;
  count: number;
  more: boolean;
  names: readonly string[];
}

/** Writes a sentence such as `3 runs: “a”, “b” and 1 other`. */
export function dependentSentence({ words, count, more, names }: Rows): string {
  const counted = `${more ? 'more than ' : ''}${count.toLocaleString('en')} ${words}`;
  if (names.length === 0) return counted;
  const called = names.map((name) => `“${name}”`).join(', ');
  if (more) return `${counted}: ${called} and more`;
  const others = count - names.length;
  if (others === 0) return `${counted}: ${called}`;
  return `${counted}: ${called} and ${others.toLocaleString('en')} ${others === 1 ? 'other' : 'others'}`;
}
