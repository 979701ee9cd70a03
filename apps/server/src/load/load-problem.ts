import { ProblemError } from '@kindred/contracts';
import { FormatError } from '@kindred/kernels/formats';

/** PostgreSQL answers with these codes to texts that it cannot store: a NUL character or invalid bytes. */
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

/** A load that kept nothing says how many rows went which way, and leaves out reasons without rows. */
export function nothingLoaded(
  source: string,
  { rows, reasons, hint }: { rows: number; reasons: Record<string, number>; hint: string },
): ProblemError {
  const counted = Object.entries(reasons)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`);
  const why = counted.length === 0 ? '' : `: ${counted.join(', ')}`;
  return new ProblemError('nothing_loaded', `None of the ${rows} rows of ${source} was kept${why}. ${hint}`);
}
