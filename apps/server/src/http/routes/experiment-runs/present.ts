import type { runDetailReply, runReply } from '@kindred/contracts/resources/experiment-runs';
import type { z } from 'zod';
import { mayChange, type Principal } from '../../../accounts/principal.js';
import type { Queryable } from '../../../store/postgres/db.js';
import {
  memberJobs,
  memberRerankers,
  memberResults,
} from '../../../store/records/experiment-members.repository.js';
import type { ExperimentRunRow } from '../../../store/records/experiment-runs.repository.js';

export type RunDetail = z.infer<typeof runDetailReply>;

export function presentRun(row: ExperimentRunRow, principal: Principal): z.infer<typeof runReply> {
  const { owner_user_id: owner, status, ...rest } = row;
  return {
    ...rest,
    status: status as z.infer<typeof runReply>['status'],
    may_change: mayChange(principal, owner),
  };
}

/** The run with the rows that belong to it and are still there. */
export async function runDetail(
  db: Queryable,
  row: ExperimentRunRow,
  principal: Principal,
): Promise<RunDetail> {
  const [jobs, evaluation_results, reranker_models] = [
    await memberJobs(db, row.id),
    await memberResults(db, row.id),
    await memberRerankers(db, row.id),
  ];
  return { ...presentRun(row, principal), jobs, evaluation_results, reranker_models };
}
