import { ProblemError } from '@kindred/contracts';

/** Makes the error for an invalid model folder; `open` adds the model's name. */
export const badModel = (fault: string): ProblemError => new ProblemError('bad_file', fault);
