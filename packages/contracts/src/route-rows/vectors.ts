import { rowsOf } from '../route-row.js';

export const vectorRouteRows = rowsOf('embeddings', [
  [
    'GET',
    '/embeddings/configs/:id/vectors',
    'researcher',
    'Vectors of a configuration as CSV, npz, Parquet or HDF5',
  ],
]);
