import { z } from 'zod';

/** The runner of the method knn if none is named: it scores a term by 1 - distance / 2 of its nearest source. */
export const defaultRunner = 'knn';
export const runnerName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'the name of a runner has a-z, 0-9, dot, underscore and hyphen');
export const runnerMeaning = `With method knn: the installed plugin that turns the neighbours into scored terms (GET /runners). Default ${defaultRunner}`;
/** The maximum length of the parameters as JSON. */
export const maxRunnerParameters = 1 << 20;
export const runnerParameters = z
  .record(z.string(), z.unknown())
  .refine((values) => JSON.stringify(values).length <= maxRunnerParameters, {
    message: 'the parameters of a runner have at most 1 MiB as JSON',
  });
export const runnerParametersMeaning =
  'Parameters of the runner, as GET /runners describes them; at most 1 MiB as JSON';
