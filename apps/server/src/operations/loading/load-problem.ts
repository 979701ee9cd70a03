import { ProblemError } from '@kindred/contracts';
import { FormatError } from '@kindred/kernels/formats';

/** Codes of PostgreSQL for texts that it can't hold: a NUL character or bytes that are no character. */
const unstorableText = new Set(['22021', '22P05']);

/** Faults of the loaded file as problems that name it; anything else unchanged. */
export function loadProblem(error: unknown, url: string): unknown {
  if (error instanceof FormatError) {
    return new ProblemError('bad_file', `${url}: ${error.message}.`, { cause: error });
  }
  if (unstorableText.has(String((error as { code?: unknown } | null)?.code))) {
    return new ProblemError('bad_file', `${url} holds a NUL character or bytes that are no text.`, {
      cause: error,
    });
  }
  return error;
}
