import type { OperationName } from '@kindred/contracts';
import type { membersBody } from '@kindred/contracts/resources/experiment-runs';
import type { z } from 'zod';
import { deletedBy, type RouteKey } from '../../app/api/call-route.js';
import { maxCompared } from './experiment-comparison.js';

/** An action on a list or on one of its rows. */
export interface Act {
  route: RouteKey;
  label: string;
  /** The kind of the act: a `file` is a link, the reply of `show` is shown at once, and everything else is a form. */
  kind?: 'file' | 'show';
  /** A warning about what is lost, for acts that can't be undone. */
  warning?: string;
  /** The operation of the form, for POST /jobs. */
  operation?: OperationName;
  /** The fields that the form has, if others are given in a better way. */
  fields?: readonly string[];
  /** A sentence above the form. */
  hint?: string;
  /** Whether to show the reply as soon as the page or the row is opened. */
  atOnce?: true;
  adds?: Adds;
}

/** The membership that an act makes: the row becomes a member of a row of another list, which is chosen by its name. */
export interface Adds {
  /** The list in the body that takes the row's id. */
  as: string;
  /** The path parameter that names the other row. */
  to: string;
  /** The page of the other list. */
  page: string;
}

/** The parts of a page that are more than lists and forms. */
export type OwnPart =
  | 'accounts'
  | 'audit log'
  | 'benchmark grid'
  | 'counted proteins'
  | 'dataset import'
  | 'experiment comparison'
  | 'jobs'
  | 'references'
  | 'reranker import';

/** The pages that are drawn from the lists below: the address of each, and its title. The first list of a page is what it opens with. */
export const sections = {
  references: 'References',
  evaluate: 'Evaluate',
  operation: 'Operation',
  people: 'People',
} as const;
export type Section = keyof typeof sections;

/** A list of the API with the names of its rows and the acts on them: a part of one of the pages. */
export interface Resource {
  key: string;
  section: Section;
  title: string;
  lead: string;
  /** The route of the list; absent for a page of acts, or of its own part alone. */
  list?: RouteKey;
  /** The key of the list inside the reply, such as `workers`. */
  within?: string;
  /** The fields of a row that the table shows. */
  columns?: readonly string[];
  /** The path parameter of a row's acts, and the field (or two fields joined by @) that fills it. The default is id from id. */
  param?: readonly [name: string, field: string, version?: string];
  /** A sentence in the place of an empty list, if more is to be said than that none is there yet. */
  empty?: string;
  acts?: readonly Act[];
  rowActs?: readonly Act[];
  /** The lists that each row has, with their own acts. The row's parameter is passed on. */
  children?: readonly Resource[];
  /** Whether to show a form for every operation that POST /jobs takes. */
  operations?: true;
  own?: OwnPart;
  /** The comparison for which rows are ticked, in the page's own part. */
  compares?: { noun: string; most: number };
}

const gone = 'It is deleted for everyone and can’t be brought back.';
const operation = (name: OperationName, label: string): Act => ({
  route: 'POST /jobs',
  label,
  operation: name,
});
const toExperiment = (as: keyof z.input<typeof membersBody>): Act => ({
  route: 'POST /experiment-runs/:run_id/members',
  label: 'Add to an experiment',
  adds: { as, to: 'run_id', page: 'experiments' },
});
/** Describes the members of one kind of an experiment. */
const member = (within: string, title: string, columns: readonly string[]): Resource => ({
  key: within,
  section: 'evaluate',
  title,
  lead: '',
  list: 'GET /experiment-runs/:run_id',
  within,
  columns,
  param: ['member_id', 'id'],
  rowActs: [
    {
      route: 'DELETE /experiment-runs/:run_id/members/:member_id',
      label: 'Take out of the experiment',
      warning: 'It stays where it is; only the experiment forgets it.',
    },
  ],
});
const truth = (category: 'NK' | 'LK' | 'PK', words: string): Act => ({
  route: `GET /annotations/evaluation-sets/:id/ground-truth-${category}.tsv`,
  label: `Truth, ${words}`,
  kind: 'file',
});

export const resources: readonly Resource[] = [
  {
    key: 'references',
    section: 'references',
    title: 'References',
    lead: 'Named references: an ontology, annotations and proteins, built from files in one go.',
    list: 'GET /references',
    own: 'references',
  },
  {
    key: 'reference',
    section: 'references',
    title: 'What runs use',
    lead: 'The annotations and the similarity model of runs whose owner chooses nothing. Empty: the service chooses, by stated rules.',
    acts: [
      { route: 'GET /annotate/reference', label: 'Chosen now', kind: 'show', atOnce: true },
      { route: 'PATCH /annotate/reference', label: 'Choose' },
    ],
  },
  {
    key: 'ontologies',
    section: 'references',
    title: 'Ontology releases',
    lead: 'Releases of the Gene Ontology. Annotations and predictions name the one they were made with.',
    list: 'GET /annotations/snapshots',
    columns: ['obo_version', 'term_counts', 'relationship_count', 'loaded_at'],
    acts: [{ route: 'POST /annotations/snapshots/load', label: 'Load a release' }],
    rowActs: [
      { route: 'GET /annotations/snapshots/:id/terms', label: 'Find a term' },
      { route: 'PATCH /annotations/snapshots/:id/ia-url', label: 'Set the information accretion file' },
    ],
  },
  {
    key: 'slims',
    section: 'references',
    title: 'GO slims',
    lead: 'Short lists of broad terms. The page of a run counts its terms as those of the one that a visitor chooses.',
    empty: 'None is there yet. An operator loads one from an OBO file, such as goslim_generic.obo.',
    list: 'GET /annotations/slims',
    columns: ['name', 'version', 'term_count', 'loaded_at'],
    acts: [{ route: 'POST /annotations/slims/load', label: 'Load a slim' }],
    rowActs: [
      { route: 'GET /annotations/slims/:id', label: 'Its terms', kind: 'show' },
      { route: 'DELETE /annotations/slims/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'annotations',
    section: 'references',
    title: 'Annotation sets',
    lead: 'Known functions of proteins. Runs copy from the one that you choose under “What runs use”.',
    list: 'GET /annotations/sets',
    columns: ['source', 'source_version', 'obo_version', 'annotation_count', 'protein_count', 'created_at'],
    acts: [
      { route: 'POST /annotations/sets/load-goa', label: 'Load a GAF or GPAD file' },
      { route: 'POST /annotations/sets/load-quickgo', label: 'Load from QuickGO' },
    ],
    rowActs: [
      { route: 'GET /annotations/sets/:id', label: 'Statistics', kind: 'show' },
      { route: 'DELETE /annotations/sets/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'models',
    section: 'references',
    title: 'Similarity models',
    lead: 'How sequences become vectors that are compared.',
    list: 'GET /embeddings/configs',
    columns: ['display_name', 'model_name', 'model_backend', 'dimension', 'embedding_count'],
    acts: [
      { route: 'POST /embeddings/configs', label: 'Add a model' },
      operation('compute_embeddings', 'Compute vectors'),
      operation('import_embeddings', 'Load vectors from a file'),
    ],
    rowActs: [
      { route: 'GET /embeddings/configs/:id', label: 'Details', kind: 'show' },
      { route: 'GET /embeddings/configs/:id/vectors', label: 'Download vectors', kind: 'file' },
      { route: 'DELETE /embeddings/configs/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'proteins',
    section: 'references',
    title: 'Proteins',
    lead: 'Reference proteins with their sequences and descriptions.',
    list: 'GET /proteins',
    within: 'items',
    columns: ['accession', 'protein_name', 'gene_name', 'organism', 'length'],
    param: ['accession', 'accession'],
    own: 'counted proteins',
    acts: [
      { route: 'GET /proteins', label: 'Search' },
      operation('insert_proteins', 'Load proteins'),
      operation('fetch_uniprot_metadata', 'Read descriptions from UniProt'),
      operation('load_secondary_accessions', 'Load former accessions'),
    ],
    rowActs: [{ route: 'GET /proteins/:accession', label: 'Details', kind: 'show' }],
  },
  {
    key: 'taxa',
    section: 'references',
    title: 'Taxa and their terms',
    lead: 'The tree of organisms, and terms that only some of them have or never have. Runs use both to leave out what cannot be.',
    acts: [
      operation('load_taxonomy', 'Load the taxonomy'),
      operation('load_taxon_constraints', 'Load taxon constraints'),
    ],
  },
  {
    key: 'domains',
    section: 'references',
    title: 'Domains and families',
    lead: 'Matches of InterPro, and the terms that its entries stand for. Predictions can be made from them.',
    acts: [
      operation('load_interpro_go_mapping', 'Load terms of entries'),
      operation('load_interpro_annotations', 'Load matches'),
      operation('run_interproscan_batch', 'Run InterProScan'),
      operation('predict_go_terms_from_interpro', 'Predict from matches'),
    ],
  },
  {
    key: 'evaluation-sets',
    section: 'evaluate',
    title: 'Evaluation sets',
    lead: 'What was known at one release, and what was found until another.',
    empty:
      'None is there yet. An operator makes one from two releases of annotations, an older and a later one.',
    list: 'GET /annotations/evaluation-sets',
    columns: ['new_annotation_set_label', 'old_annotation_set_label', 'obo_version', 'created_at'],
    acts: [{ route: 'POST /annotations/evaluation-sets/generate', label: 'Make a set' }],
    rowActs: [
      { route: 'GET /annotations/evaluation-sets/:id', label: 'Statistics', kind: 'show' },
      { route: 'POST /annotations/evaluation-sets/:id/run', label: 'Evaluate a run' },
      truth('NK', 'no knowledge'),
      truth('LK', 'limited knowledge'),
      truth('PK', 'partial knowledge'),
      { route: 'GET /annotations/evaluation-sets/:id/known-terms.tsv', label: 'Known terms', kind: 'file' },
      { route: 'GET /annotations/evaluation-sets/:id/delta-proteins.fasta', label: 'Proteins', kind: 'file' },
      { route: 'DELETE /annotations/evaluation-sets/:id', label: 'Delete', warning: gone },
    ],
    children: [
      {
        key: 'results',
        section: 'evaluate',
        title: 'Results',
        lead: 'Figures of predictions against this set.',
        list: 'GET /annotations/evaluation-sets/:id/results',
        columns: ['prediction_set_id', 'created_at'],
        param: ['rid', 'id'],
        rowActs: [
          {
            route: 'GET /annotations/evaluation-sets/:id/results/:rid',
            label: 'Figures',
            kind: 'show',
            atOnce: true,
          },
          toExperiment('evaluation_result_ids'),
          {
            route: 'GET /annotations/evaluation-sets/:id/results/:rid/compare',
            label: 'Compare with another',
          },
          {
            route: 'GET /annotations/evaluation-sets/:id/results/:rid/metrics.tsv',
            label: 'Table',
            kind: 'file',
          },
          {
            route: 'GET /annotations/evaluation-sets/:id/results/:rid/artifacts.zip',
            label: 'All files',
            kind: 'file',
          },
          {
            route: 'DELETE /annotations/evaluation-sets/:id/results/:rid',
            label: 'Delete',
            warning: gone,
          },
        ],
      },
    ],
  },
  {
    key: 'runs',
    section: 'evaluate',
    title: 'Runs to measure',
    lead: 'The terms of runs by other scores and re-rankers, and how right each is. Their answers are under Runs.',
    list: 'GET /embeddings/prediction-sets',
    columns: [
      'query_set_name',
      'method',
      'annotation_set_label',
      'protein_count',
      'prediction_count',
      'created_at',
    ],
    rowActs: [
      { route: 'GET /embeddings/prediction-sets/:id/go-terms', label: 'Terms', kind: 'show' },
      {
        route: 'POST /scoring/prediction-sets/:id/preview',
        label: 'Preview a score',
        hint: 'The best terms of the first proteins, before and after. Nothing is saved.',
      },
      { route: 'GET /scoring/prediction-sets/:id/metrics', label: 'Measure a score' },
      { route: 'GET /scoring/prediction-sets/:id/reranker-metrics', label: 'Measure a re-ranker' },
      { route: 'GET /scoring/prediction-sets/:id/score.tsv', label: 'Scores as a table' },
      { route: 'GET /scoring/prediction-sets/:id/rerank.tsv', label: 'Re-ranked table' },
      { route: 'GET /scoring/prediction-sets/:id/training-data.tsv', label: 'Training table' },
    ],
  },
  {
    key: 'scores',
    section: 'evaluate',
    title: 'Scores',
    lead: 'Recipes that make one score of the features of a prediction. Try one on a run under “Runs to measure” before you add it.',
    empty: 'None is there yet. An operator adds the usual ones with one click.',
    list: 'GET /scoring/configs',
    columns: ['name', 'formula', 'description', 'created_at'],
    acts: [
      { route: 'POST /scoring/configs', label: 'Add a score' },
      { route: 'POST /scoring/configs/presets', label: 'Add the usual ones' },
    ],
    rowActs: [
      { route: 'GET /scoring/configs/:id', label: 'Weights', kind: 'show' },
      { route: 'DELETE /scoring/configs/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'rerankers',
    section: 'evaluate',
    title: 'Re-rankers',
    lead: 'Trained models that score predictions again.',
    empty: 'None is there yet. An operator imports one by its three files.',
    list: 'GET /scoring/rerankers',
    columns: ['name', 'created_at'],
    own: 'reranker import',
    rowActs: [
      { route: 'GET /scoring/rerankers/:id', label: 'Metrics and importance', kind: 'show' },
      toExperiment('reranker_model_ids'),
      { route: 'DELETE /scoring/rerankers/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'datasets',
    section: 'evaluate',
    title: 'Datasets',
    lead: 'Frozen tables to train with.',
    empty: 'None is there yet. An operator makes one from evaluation sets, or imports one.',
    list: 'GET /datasets',
    columns: ['name', 'n_train_rows', 'n_eval_rows', 'k', 'created_at'],
    param: ['id_or_name', 'id'],
    own: 'dataset import',
    acts: [{ route: 'POST /datasets', label: 'Make a dataset' }],
    rowActs: [
      { route: 'GET /datasets/:id_or_name', label: 'Manifest', kind: 'show' },
      { route: 'GET /datasets/:id_or_name/download', label: 'Download' },
      { route: 'DELETE /datasets/:id_or_name', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'experiments',
    section: 'evaluate',
    title: 'Experiments',
    lead: 'A hypothesis, its runs and what was found.',
    empty: 'None is there yet. An experiment keeps runs and results together with what they were to show.',
    list: 'GET /experiment-runs',
    columns: ['name', 'status', 'hypothesis', 'findings', 'created_at'],
    param: ['run_id', 'id'],
    own: 'experiment comparison',
    compares: { noun: 'experiment', most: maxCompared },
    acts: [{ route: 'POST /experiment-runs', label: 'Start one' }],
    rowActs: [
      { route: 'GET /experiment-runs/:run_id', label: 'All of it', kind: 'show' },
      { route: 'PATCH /experiment-runs/:run_id', label: 'Write down' },
      {
        route: 'POST /experiment-runs/:run_id/members',
        label: 'Add jobs and re-rankers',
        fields: ['job_ids', 'reranker_model_ids'],
        hint: 'The newest of each list. Results of evaluations are added from their evaluation set.',
      },
      { route: 'GET /experiment-runs/:run_id/mlflow.zip', label: 'MLflow', kind: 'file' },
      { route: 'DELETE /experiment-runs/:run_id', label: 'Delete', warning: gone },
    ],
    children: [
      member('evaluation_results', 'Evaluations', ['prediction_set_id', 'evaluation_set_id', 'created_at']),
      member('reranker_models', 'Re-rankers', ['name', 'metrics', 'created_at']),
      member('jobs', 'Jobs', ['operation', 'status', 'created_at', 'finished_at']),
    ],
  },
  {
    key: 'benchmark',
    section: 'evaluate',
    title: 'Benchmark',
    lead: 'Figures of models and methods side by side, of one evaluation set at a time.',
    own: 'benchmark grid',
    acts: [{ route: 'GET /benchmark/embeddings', label: 'Similarity models', kind: 'show' }],
  },
  {
    key: 'jobs',
    section: 'operation',
    title: 'Jobs',
    lead: 'Long work runs as jobs: your own, and those that everyone may see. Those of annotations that are not kept are not listed.',
    list: 'GET /jobs',
    own: 'jobs',
    // The page of a job offers them.
    rowActs: [toExperiment('job_ids'), { route: 'DELETE /jobs/:id', label: 'Delete', warning: gone }],
  },
  {
    key: 'operations',
    section: 'operation',
    title: 'Start a job',
    lead: 'Everything that runs as a job: loading, embedding, predicting, evaluating, exporting.',
    acts: [{ route: 'POST /embeddings/predict', label: 'Predict with all choices' }],
    operations: true,
  },
  {
    key: 'uploads',
    section: 'operation',
    title: 'Uploads',
    lead: 'Sequences that were uploaded for runs.',
    list: 'GET /query-sets',
    columns: ['name', 'entry_count', 'visibility', 'created_at'],
    acts: [{ route: 'POST /query-sets', label: 'Upload a file' }],
    rowActs: [
      { route: 'GET /query-sets/:id', label: 'Entries', kind: 'show' },
      { route: 'GET /query-sets/:id/sequences', label: 'Download FASTA', kind: 'file' },
      { route: 'PATCH /query-sets/:id', label: 'Rename or share' },
      { route: 'DELETE /query-sets/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'workers',
    section: 'operation',
    title: 'Workers, queues and disk',
    lead: 'What computes now, what waits, and how much room is left.',
    list: 'GET /workers/status',
    within: 'workers',
    columns: ['role', 'host', 'state', 'working', 'last_seen_at'],
    acts: [{ route: 'GET /workers/status', label: 'Queues and disk', kind: 'show' }],
  },
  {
    key: 'dead-letters',
    section: 'operation',
    title: 'Dead letters',
    lead: 'Messages that no worker could handle.',
    empty: 'None is there: the workers could handle every message.',
    list: 'GET /admin/dlq',
    columns: ['from_queue', 'died_at', 'size_bytes', 'job_id'],
    acts: [
      { route: 'POST /admin/dlq/replay', label: 'Send back to their queues' },
      { route: 'POST /admin/dlq/purge', label: 'Delete all', warning: gone },
    ],
  },
  {
    key: 'maintenance',
    section: 'operation',
    title: 'Maintenance',
    lead: 'Rows that are no longer needed: check first, then delete. Below, the backups that were made, and when each was last restored to see that it can be.',
    empty: 'No backup was recorded yet. The command “kindred backup” makes one.',
    list: 'GET /maintenance/backups',
    columns: ['made_at', 'verified_at', 'size_bytes', 'version'],
    acts: [
      { route: 'GET /maintenance/vacuum-sequences/preview', label: 'Unused sequences', kind: 'show' },
      { route: 'POST /maintenance/vacuum-sequences', label: 'Delete unused sequences', warning: gone },
      { route: 'GET /maintenance/vacuum-embeddings/preview', label: 'Unused vectors', kind: 'show' },
      { route: 'POST /maintenance/vacuum-embeddings', label: 'Delete unused vectors', warning: gone },
      { route: 'GET /maintenance/sweep-artifacts/preview', label: 'Unused files', kind: 'show' },
      { route: 'POST /maintenance/sweep-artifacts', label: 'Delete unused files', warning: gone },
      {
        route: 'POST /admin/reset-db',
        label: 'Empty the database',
        warning: 'This deletes all data of the service.',
      },
    ],
  },
  {
    key: 'plugins',
    section: 'operation',
    title: 'Installed parts',
    lead: 'Models, sources and methods that this service has, and where its code comes from.',
    acts: [
      { route: 'GET /backends', label: 'Similarity models', kind: 'show', atOnce: true },
      { route: 'GET /sources', label: 'Sources', kind: 'show' },
      { route: 'GET /runners', label: 'Methods', kind: 'show' },
      { route: 'GET /stack', label: 'Repositories', kind: 'show' },
      { route: 'GET /stack/pulls', label: 'Open changes', kind: 'show' },
    ],
  },
  {
    key: 'feedback',
    section: 'operation',
    title: 'Feedback',
    lead: 'Say whether this service helps you.',
    acts: [
      { route: 'GET /support', label: 'What others say', kind: 'show', atOnce: true },
      { route: 'POST /support', label: 'Thumbs up' },
    ],
  },
  {
    key: 'people',
    section: 'people',
    title: 'Accounts',
    lead: 'Who asked for an account, who has one, and what they may do. An approved account can sign in.',
    list: 'GET /admin/users',
    own: 'accounts',
  },
  {
    key: 'accounts',
    section: 'people',
    title: 'Sessions and deletion',
    lead: 'Signs an account out everywhere, or deletes it. Roles, approval and passwords are under “Accounts”.',
    list: 'GET /admin/users',
    columns: ['username', 'email', 'role', 'status', 'last_login_at'],
    rowActs: [
      {
        route: 'POST /auth/admin/revoke-sessions/:user_id',
        label: 'Sign out everywhere',
        warning: 'They have to sign in again in every browser.',
      },
      { route: 'DELETE /users/:id', label: 'Delete', warning: gone },
    ],
  },
  {
    key: 'keys',
    section: 'people',
    title: 'API keys of all accounts',
    lead: 'Who has which key. A revoked key no longer works.',
    list: 'GET /auth/api-keys',
    columns: ['owner', 'name', 'prefix', 'role', 'created_at', 'last_used_at'],
    rowActs: [
      {
        route: 'DELETE /auth/api-keys/:id',
        label: 'Revoke',
        warning: 'Programs that use it stop working at once.',
      },
    ],
  },
  {
    key: 'quotas',
    section: 'people',
    title: 'Quotas and limits',
    lead: 'What callers may use, and who used how much today. The operator of this service sets the limits.',
    acts: [{ route: 'GET /admin/quotas', label: 'Limits and use', kind: 'show', atOnce: true }],
  },
  {
    key: 'audit',
    section: 'people',
    title: 'Audit log',
    lead: 'Who did what to whom, newest first.',
    list: 'GET /admin/audit',
    own: 'audit log',
  },
];

/** Returns every route that the pages of operators call. */
export function routesOf(all: readonly Resource[]): RouteKey[] {
  return all.flatMap(({ list, acts = [], rowActs = [], children = [], operations }) => [
    ...(list === undefined ? [] : [list]),
    ...[...acts, ...rowActs].flatMap(({ route }): RouteKey[] =>
      deletedBy(route) === undefined ? [route] : [route, 'GET /dependents/:kind/:id'],
    ),
    ...(operations === true ? (['POST /jobs'] as const) : []),
    ...routesOf(children),
  ]);
}
