import { type RouteRow, rowsOf } from '../route-row.js';

export const benchmarkRows: readonly RouteRow[] = rowsOf('benchmark', [
  ['GET', '/showcase', 'viewer', 'What the service holds, and how good its predictions are'],
  ['GET', '/benchmark/embeddings', 'viewer', 'Embedding configurations with what is shown of them'],
  ['GET', '/benchmark/matrix', 'viewer', 'Fmax of every embedding and stage, per category and aspect'],
]);
