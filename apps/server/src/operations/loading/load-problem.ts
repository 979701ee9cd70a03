import { ProblemError } from '@kindred/contracts';
import { FormatError } from '@kindred/kernels/formats';

/** PostgreSQL's codes for texts that it cannot store: a NUL character or invalid bytes. */
const unstorableText = new Set(['22021', '22P05']);

/** Turns an error caused by the loaded file into a problem that names it; returns other errors unchanged. */
export function loadProblem(error: unknown, url: string): unknown {
  if (error instanceof FormatError) {
    return new ProblemError('bad_file', `${url}: ${error.message}.`, { cause: error });
  }
  if (unstorableText.has(String((error as { code?: unknown } | null)?.code))) {
    return new ProblemError('bad_file', `${url} contains a NUL character or bytes that are not text.`, {
      cause: error,
    });
  }
  return error;
}
