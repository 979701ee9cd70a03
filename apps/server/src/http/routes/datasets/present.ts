import type { datasetReply } from '@kindred/contracts/resources/datasets';
import type { z } from 'zod';
import type { DatasetRow } from '../../../store/records/datasets.repository.js';

export function presentDataset(row: DatasetRow): z.infer<typeof datasetReply> {
  const { train_row_count: n_train_rows, eval_row_count: n_eval_rows, ...rest } = row;
  return { ...rest, n_train_rows, n_eval_rows };
}
