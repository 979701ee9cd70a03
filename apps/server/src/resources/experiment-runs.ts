import { absent, type FieldFault, ProblemError, validationProblem } from '@kindred/contracts';
import {
  type MemberKind,
  maxMembers,
  type RunStatus,
  runTransitions,
} from '@kindred/contracts/resources/experiment-runs';
import { type Principal, requireOwner } from '../accounts/principal.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/db.js';
import {
  attachMembers,
  countMembers,
  detachMember,
  unknownMembers,
} from '../store/records/experiment-members.repository.js';
import {
  deleteExperimentRun,
  type ExperimentRunRow,
  lockExperimentRun,
  updateExperimentRun,
} from '../store/records/experiment-runs.repository.js';

const kindOf = {
  job_ids: 'job',
  evaluation_result_ids: 'evaluation_result',
  reranker_model_ids: 'reranker_model',
} as const satisfies Record<string, MemberKind>;
type MemberField = keyof typeof kindOf;
const memberFields = Object.keys(kindOf) as MemberField[];

/**
 * A run is named together with its caller. Each function below
 * @throws ProblemError not_found, not_owner
 */
interface Target {
  id: string;
  principal: Principal;
}

/** @throws ProblemError conflict if the run cannot change from its status to the requested one */
export function changeExperimentRun(
  db: Database,
  target: Target,
  change: Parameters<typeof updateExperimentRun>[2],
): Promise<ExperimentRunRow> {
  return inTransaction(db, async (trx) => {
    const run = await lockOwnRun(trx, target);
    if (change.status !== undefined) requireTransition(run, change.status);
    return updateExperimentRun(trx, target.id, change);
  });
}

export async function removeExperimentRun(db: Database, target: Target): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockOwnRun(trx, target);
    await deleteExperimentRun(trx, target.id);
  });
}

/**
 * @throws ProblemError validation_failed with the path of each id that no row has; conflict for too many
 * members
 */
export function addMembers(
  db: Database,
  target: Target,
  members: Record<MemberField, string[]>,
): Promise<ExperimentRunRow> {
  return inTransaction(db, async (trx) => {
    const run = await lockOwnRun(trx, target);
    await requireMembers(trx, members);
    for (const field of memberFields) {
      await attachMembers(trx, run.id, kindOf[field], members[field]);
      if ((await countMembers(trx, run.id, kindOf[field])) > maxMembers)
        throw new ProblemError('conflict', `A run has at most ${maxMembers} members of one kind.`);
    }
    return run;
  });
}

export async function removeMember(db: Database, target: Target, memberId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockOwnRun(trx, target);
    if (!(await detachMember(trx, target.id, memberId))) throw absent('member of this run', memberId);
  });
}

function requireTransition({ name, status }: ExperimentRunRow, next: RunStatus): void {
  if (status === next || runTransitions[status].includes(next)) return;
  const open = runTransitions[status];
  const rule = open.length === 0 ? `a run that is ${status} stays so` : `it can become ${open.join(' or ')}`;
  throw new ProblemError(
    'conflict',
    `Experiment run ${JSON.stringify(name)} is ${status} and cannot become ${next}: ${rule}.`,
  );
}

/** The run is held until the transaction ends. */
async function lockOwnRun(trx: Transaction, { id, principal }: Target): Promise<ExperimentRunRow> {
  const row = await lockExperimentRun(trx, id);
  if (row === undefined) throw absent('experiment run', id);
  requireOwner(principal, row.owner_user_id);
  return row;
}

async function requireMembers(trx: Transaction, members: Record<MemberField, string[]>): Promise<void> {
  const faults: FieldFault[] = [];
  for (const field of memberFields) {
    const unknown = new Set(await unknownMembers(trx, kindOf[field], members[field]));
    members[field].forEach((id, at) => {
      if (!unknown.has(id)) return;
      const message = `there is no ${kindOf[field].replaceAll('_', ' ')} ${id}`;
      faults.push({ path: `/${field}/${at}`, message, code: 'not_found' });
    });
  }
  if (faults.length > 0) throw validationProblem(faults);
}
