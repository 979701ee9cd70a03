import { ProblemError } from '@kindred/contracts';

/** What is wrong with a model folder; `open` puts the model's name before it. */
export const badModel = (fault: string): ProblemError => new ProblemError('bad_file', fault);
