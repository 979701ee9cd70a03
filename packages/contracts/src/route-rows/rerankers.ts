import { type RouteRow, rowsOf } from '../route-row.js';

export const rerankerRows: readonly RouteRow[] = rowsOf('re-rankers', [
  [
    'POST',
    '/reranker-models/import',
    'operator',
    'Upload and register a LightGBM re-ranker: model.txt, spec.yaml, run.json',
    { rate: 'imports' },
  ],
  [
    'POST',
    '/reranker-models/import-by-reference',
    'operator',
    'Register a re-ranker whose booster is in the artifact store already',
    { rate: 'imports' },
  ],
  ['GET', '/scoring/rerankers', 'viewer', 'List re-rankers, newest first'],
  ['GET', '/scoring/rerankers/:id', 'viewer', 'One re-ranker with metrics and feature importance'],
  ['DELETE', '/scoring/rerankers/:id', 'operator', 'Delete a re-ranker and the booster that came with it'],
  [
    'GET',
    '/scoring/prediction-sets/:id/rerank.tsv',
    'viewer',
    'Predictions re-scored by a re-ranker, as TSV',
  ],
  [
    'GET',
    '/scoring/prediction-sets/:id/reranker-metrics',
    'viewer',
    'Fmax and AUC-PR of re-ranker scores per aspect',
  ],
]);
