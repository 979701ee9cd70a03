import { createHash } from 'node:crypto';
import type { PayloadOf } from '@kindred/contracts';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { z } from 'zod';
import type { RunnerChoice } from './compute/runner-scores.js';
import { findJob } from '../store/jobs/jobs.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

type Payload = Pick<PayloadOf<'predict_go_terms'>, 'method' | 'runner' | 'runner_parameters'>;

/**
 * The parameters of a prediction set have these fields about the runner; all are null if a method of the
 * service made it.
 */
export const storedRunner = z.object({
  runner: z.string().nullable().default(null),
  runner_version: z.string().nullable().default(null),
  runner_parameters: z.record(z.string(), z.unknown()).nullable().default(null),
});

/**
 * Gives the runner that a job begins with; null with a method that needs none.
 * @throws ProblemError backend_unavailable, naming the installed runners
 */
export async function chosenRunner(
  { method, runner, runner_parameters }: Payload,
  { plugins }: Pick<OperationContext, 'plugins'>,
): Promise<RunnerChoice | null> {
  if (method !== 'knn') return null;
  const { name, version } = await plugins.runnerPlugin(runner ?? defaultRunner);
  return { name, version, parameters: runner_parameters ?? {} };
}

/** Gives the choice in the form of the prediction set's row. */
export function presentRunner(choice: RunnerChoice | null): z.infer<typeof storedRunner> {
  if (choice === null) return { runner: null, runner_version: null, runner_parameters: null };
  const parameters = Object.entries(choice.parameters).map(([name, value]) => [name, shortened(value)]);
  return {
    runner: choice.name,
    runner_version: choice.version,
    runner_parameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
  };
}

const longestText = 200;

/**
 * Lists of sets show the parameters, so a digest replaces a long text, such as a model. The digest is an
 * object and not a text, so that a runner refuses it in place of the text.
 */
function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= longestText) return value;
  return { sha256: createHash('sha256').update(value).digest('hex'), characters: value.length };
}

/**
 * Gives the runner of a batch, with the full parameters of the job. A job that a service before 0.3.0 began
 * names no runner and continues with the default one, which gives the same scores.
 */
export async function runnerOfBatch(
  { runner: name, runner_version: version, runner_parameters: shown }: z.infer<typeof storedRunner>,
  { db, jobId, plugins }: Pick<OperationContext, 'db' | 'jobId' | 'plugins'>,
): Promise<RunnerChoice> {
  if (name === null || version === null) {
    const { version: installed } = await plugins.runnerPlugin(defaultRunner);
    return { name: defaultRunner, version: installed, parameters: {} };
  }
  if (shown === null) return { name, version, parameters: {} };
  const job = await findJob(db, jobId);
  const { runner_parameters } = payloadWithRunner.parse(job?.payload);
  return { name, version, parameters: runner_parameters };
}

const payloadWithRunner = z.looseObject({ runner_parameters: z.record(z.string(), z.unknown()) });
