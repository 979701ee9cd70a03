import type { runDetailReply, runReply } from '@kindred/contracts/resources/experiment-runs';
import type { z } from 'zod';
import { mayChange, type Principal } from '../../../accounts/principal.js';
import {
  memberJobs,
  memberRerankers,
  memberResults,
} from '../../../store/records/experiment-members.repository.js';
import type { ExperimentRunRow } from '../../../store/records/experiment-runs.repository.js';

import type { RouteDeps } from '../../deps.js';

export type RunDetail = z.infer<typeof runDetailReply>;

export function presentRun(row: ExperimentRunRow, principal: Principal): z.infer<typeof runReply> {
  const { owner_user_id: owner, status, ...rest } = row;
  return {
    ...rest,
    status: status as z.infer<typeof runReply>['status'],
    may_change: mayChange(principal, owner),
  };
}

/** Gives the run with the rows that belong to it and still exist. */
export async function runDetail(
  { db, artifacts }: Pick<RouteDeps, 'db' | 'artifacts'>,
  row: ExperimentRunRow,
  principal: Principal,
): Promise<RunDetail> {
  const [jobs, evaluation_results, reranker_models] = [
    await memberJobs(db, row.id),
    await memberResults(db, row.id),
    (await memberRerankers(db, row.id)).map((model) => ({
      ...model,
      artifact_uri: model.artifact_uri && artifacts.addressOf(model.artifact_uri),
    })),
  ];
  return { ...presentRun(row, principal), jobs, evaluation_results, reranker_models };
}
