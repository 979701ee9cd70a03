import type { Principal } from '../../../accounts/principal.js';
import type { Transaction } from '../../../store/postgres/db.js';
import {
  type ExperimentRunRow,
  lockExperimentRun,
} from '../../../store/records/experiment-runs.repository.js';
import { requireOwner } from '../../plugins/credentials.js';
import { absent } from '../../problems.js';

/** The run, held until the transaction ends. @throws ProblemError not_found, not_owner */
export async function ownRun(trx: Transaction, id: string, principal: Principal): Promise<ExperimentRunRow> {
  const row = await lockExperimentRun(trx, id);
  if (row === undefined) throw absent('experiment run', id);
  requireOwner(principal, row.owner_user_id);
  return row;
}
