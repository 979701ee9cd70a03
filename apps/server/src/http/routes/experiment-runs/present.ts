import type { runDetailReply, runReply } from '@kindred/contracts/resources/experiment-runs';
import type { z } from 'zod';
import type { Queryable } from '../../../store/postgres/db.js';
import {
  memberJobs,
  memberRerankers,
  memberResults,
} from '../../../store/records/experiment-members.repository.js';
import type { ExperimentRunRow } from '../../../store/records/experiment-runs.repository.js';

export type RunDetail = z.infer<typeof runDetailReply>;

export function presentRun(row: ExperimentRunRow): z.infer<typeof runReply> {
  const { owner_user_id: _, status, ...rest } = row;
  return { ...rest, status: status as z.infer<typeof runReply>['status'] };
}

/** With the rows that belong to the run and are still there. */
export async function runDetail(db: Queryable, row: ExperimentRunRow): Promise<RunDetail> {
  const [jobs, evaluation_results, reranker_models] = [
    await memberJobs(db, row.id),
    await memberResults(db, row.id),
    await memberRerankers(db, row.id),
  ];
  return { ...presentRun(row), jobs, evaluation_results, reranker_models };
}
