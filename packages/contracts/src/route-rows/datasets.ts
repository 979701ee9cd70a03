import { own, type RouteRow, rowsOf } from '../route-row.js';

export const datasetRows: readonly RouteRow[] = rowsOf('datasets', [
  ['POST', '/datasets', 'operator', 'Queue export_research_dataset', { rate: 'datasets' }],
  [
    'POST',
    '/datasets/import-by-reference',
    'operator',
    'Register a dataset whose files are in the store already',
    { rate: 'datasets' },
  ],
  ['GET', '/datasets', 'viewer', 'List datasets, newest first'],
  ['GET', '/datasets/:id_or_name', 'viewer', 'One dataset, by id or by name'],
  ['GET', '/datasets/:id_or_name/download', 'viewer', 'One of the three files of a dataset'],
]);

export const experimentRows: readonly RouteRow[] = rowsOf('experiment runs', [
  ['POST', '/experiment-runs', 'researcher', 'Record an experiment run'],
  ['GET', '/experiment-runs', 'viewer', 'List experiment runs, newest first'],
  ['GET', '/experiment-runs/:run_id', 'viewer', 'One run with its jobs, results and re-rankers'],
  ['PATCH', '/experiment-runs/:run_id', 'researcher', 'Change a run; its status stamps', { access: own }],
  ['DELETE', '/experiment-runs/:run_id', 'researcher', 'Delete a run', { access: own }],
  [
    'POST',
    '/experiment-runs/:run_id/members',
    'researcher',
    'Attach jobs, evaluation results and re-rankers',
    { access: own },
  ],
  [
    'DELETE',
    '/experiment-runs/:run_id/members/:member_id',
    'researcher',
    'Take a job, a result or a re-ranker from the run',
    { access: own },
  ],
  ['GET', '/experiment-runs/:run_id/mlflow.zip', 'viewer', "The run in MLflow's folder layout"],
]);
