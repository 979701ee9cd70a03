import { type RouteRow, rowsOf } from '../route-row.js';

export const scoringRows: readonly RouteRow[] = rowsOf('scoring', [
  ['GET', '/scoring/configs', 'viewer', 'List scoring configurations, newest first'],
  ['POST', '/scoring/configs', 'operator', 'Create an immutable recipe of a composite score'],
  ['POST', '/scoring/configs/presets', 'operator', 'Create the preset recipes that are not there yet'],
  ['GET', '/scoring/configs/:id', 'viewer', 'One scoring configuration'],
  ['DELETE', '/scoring/configs/:id', 'operator', 'Delete a scoring configuration'],
  ['GET', '/scoring/prediction-sets/:id/score.tsv', 'viewer', 'Predictions with composite scores, as TSV'],
  [
    'GET',
    '/scoring/prediction-sets/:id/metrics',
    'viewer',
    'Fmax and area under the precision-recall curve of composite scores, per aspect',
  ],
  [
    'GET',
    '/scoring/prediction-sets/:id/training-data.tsv',
    'viewer',
    'Predictions with binary labels from a temporal holdout, as TSV of 31 columns',
  ],
]);
