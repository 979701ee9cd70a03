import type { FieldFault } from '@kindred/contracts';
import { ProblemError } from '@kindred/contracts';
import { maxMembers, experimentRunRoutes } from '@kindred/contracts/resources/experiment-runs';
import { inTransaction, type Transaction } from '../../../store/postgres/db.js';
import {
  attachMembers,
  countMembers,
  detachMember,
  type MemberKind,
  unknownMembers,
} from '../../../store/records/experiment-members.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, validationProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { ownRun } from './own-run.js';
import { runDetail } from './present.js';

const kindOf = {
  job_ids: 'job',
  evaluation_result_ids: 'evaluation_result',
  reranker_model_ids: 'reranker_model',
} as const satisfies Record<string, MemberKind>;
type Field = keyof typeof kindOf;
const fields = Object.keys(kindOf) as Field[];

export function memberRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, experimentRunRoutes.addMembers, async (request) => {
    const { run_id: id } = request.params;
    return inTransaction(db, async (trx) => {
      const run = await ownRun(trx, id, request.principal);
      await requireMembers(trx, request.body);
      for (const field of fields) {
        await attachMembers(trx, id, kindOf[field], request.body[field]);
        if ((await countMembers(trx, id, kindOf[field])) > maxMembers)
          throw new ProblemError('conflict', `A run has at most ${maxMembers} members of one kind.`);
      }
      return runDetail(trx, run);
    });
  });
  serve(api, experimentRunRoutes.removeMember, async (request, reply) => {
    const { run_id: id, member_id: memberId } = request.params;
    await inTransaction(db, async (trx) => {
      await ownRun(trx, id, request.principal);
      if (!(await detachMember(trx, id, memberId))) throw absent('member of this run', memberId);
    });
    return reply.code(204).send(null);
  });
}

/** @throws ProblemError validation_failed with the path of each id that no row has */
async function requireMembers(trx: Transaction, body: Record<Field, string[]>): Promise<void> {
  const faults: FieldFault[] = [];
  for (const field of fields) {
    const unknown = new Set(await unknownMembers(trx, kindOf[field], body[field]));
    body[field].forEach((id, at) => {
      if (!unknown.has(id)) return;
      const message = `there is no ${kindOf[field].replaceAll('_', ' ')} ${id}`;
      faults.push({ path: `/${field}/${at}`, message, code: 'not_found' });
    });
  }
  if (faults.length > 0) throw validationProblem(faults);
}
