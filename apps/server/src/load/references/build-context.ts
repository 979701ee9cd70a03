import { absent, ProblemError } from '@kindred/contracts';
import {
  type BuildStep,
  buildSteps,
  type DescribedReference,
  findReference,
} from '../../store/references/references.repository.js';
import { type OperationContext, RetryLater } from '../../work/operation/operation.js';

/** A step that needs another step checks for it this often. */
const lookAgainMs = 250;

export type BuiltReference = DescribedReference & { job_id: string };

/**
 * Gives the reference that a step works for.
 * @throws ProblemError not_found, conflict if no build of it runs
 */
export async function referenceInBuild(id: string, { db }: OperationContext): Promise<BuiltReference> {
  const reference = await findReference(db, id);
  if (reference === undefined) throw absent('reference', id);
  const { name, version, status, job_id } = reference;
  if (status === 'building' && job_id !== null) return { ...reference, job_id };
  throw new ProblemError(
    'conflict',
    `Reference ${name}@${version} is ${status}, not being built; send its request to POST /references again.`,
  );
}

/**
 * Returns the steps of these operations in the build, which are all done.
 * @throws RetryLater while one runs; ProblemError dependency_failed when one failed
 */
export async function stepsDone(
  reference: BuiltReference,
  operations: readonly string[],
  { db }: OperationContext,
): Promise<BuildStep[]> {
  const steps = (await buildSteps(db, reference.job_id)).filter(({ operation }) =>
    operations.includes(operation),
  );
  const failed = steps.find(({ status }) => status === 'FAILED' || status === 'CANCELLED');
  if (failed !== undefined) {
    const reason = failed.error_message ?? 'it was cancelled';
    throw new ProblemError('dependency_failed', `The step ${failed.operation} did not succeed: ${reason}`);
  }
  const open = steps.find(({ status }) => status !== 'SUCCEEDED');
  if (open !== undefined) throw new RetryLater(`The step ${open.operation} is not done yet`, lookAgainMs);
  return steps;
}
