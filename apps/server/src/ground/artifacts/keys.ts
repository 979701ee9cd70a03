import { ProblemError } from '@kindred/contracts';

const segment = /^[A-Za-z0-9_][A-Za-z0-9._=+@-]{0,199}$/;
export const maxKeyLength = 512;

/**
 * A key is a relative path of plain segments: no segment begins with a dot, so a key can name neither `..` nor an
 * unfinished file. @throws ProblemError invalid_artifact_key
 */
export function checkKey(key: string): string {
  const fit = key.length <= maxKeyLength && key.split('/').every((part) => segment.test(part));
  if (fit) return key;
  throw new ProblemError(
    'invalid_artifact_key',
    `${JSON.stringify(key.slice(0, 100))} is not a valid artifact key: use segments of letters, digits and . _ - + = @ joined by /, none of which begins with a dot; ${maxKeyLength} characters at most.`,
  );
}

export function refusedUri(uri: string, reason: string): ProblemError {
  return new ProblemError(
    'artifact_uri_refused',
    `${JSON.stringify(uri.slice(0, 1024))} is not an artifact of this service: ${reason}.`,
  );
}

export function absentArtifact(uri: string): ProblemError {
  return new ProblemError('artifact_not_found', `There is no artifact at ${uri}.`);
}

/** A part of an object. @throws RangeError unless 0 <= start <= endExclusive, both integers */
export function checkRange(range: { start?: number; endExclusive?: number }): {
  start: number;
  endExclusive: number;
} {
  const { start = 0, endExclusive = Number.MAX_SAFE_INTEGER } = range;
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(endExclusive);
  if (whole && start >= 0 && endExclusive >= start) return { start, endExclusive };
  throw new RangeError(`the range ${start}..${endExclusive} is not 0 <= start <= endExclusive`);
}
