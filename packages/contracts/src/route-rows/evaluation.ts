import { type RouteRow, rowsOf } from '../route-row.js';

const base = '/annotations/evaluation-sets';

export const evaluationRows: readonly RouteRow[] = rowsOf('evaluation', [
  ['POST', `${base}/generate`, 'operator', 'Queue generate_evaluation_set'],
  ['GET', base, 'viewer', 'Evaluation sets with statistics, newest first'],
  ['GET', `${base}/:id`, 'viewer', 'One evaluation set with the rules that it was made by'],
  ['DELETE', `${base}/:id`, 'operator', 'Delete an evaluation set with its ground truth and results'],
  ['GET', `${base}/:id/ground-truth-NK.tsv`, 'viewer', 'Ground truth of proteins without prior knowledge'],
  ['GET', `${base}/:id/ground-truth-LK.tsv`, 'viewer', 'Ground truth in aspects without prior knowledge'],
  ['GET', `${base}/:id/ground-truth-PK.tsv`, 'viewer', 'Ground truth in aspects with prior knowledge'],
  ['GET', `${base}/:id/known-terms.tsv`, 'viewer', 'What the delta proteins had before'],
  ['GET', `${base}/:id/delta-proteins.fasta`, 'viewer', 'Sequences of the proteins with ground truth'],
  ['POST', `${base}/:id/run`, 'operator', 'Queue run_cafa_evaluation'],
  ['GET', `${base}/:id/results`, 'viewer', 'Results of an evaluation set, newest first'],
  ['GET', `${base}/:id/results/:rid`, 'viewer', 'One result with intervals and the frame that it holds in'],
  ['GET', `${base}/:id/results/:rid/metrics.tsv`, 'viewer', 'Figures of a result as TSV'],
  ['GET', `${base}/:id/results/:rid/artifacts.zip`, 'viewer', 'Inputs and tables of a result'],
  ['GET', `${base}/:id/results/:rid/compare`, 'viewer', 'Difference of two results, with paired intervals'],
  ['DELETE', `${base}/:id/results/:rid`, 'operator', 'Delete a result with its files'],
]);
