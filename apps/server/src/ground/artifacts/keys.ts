import { ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from './artifact-store.js';

const segment = /^[A-Za-z0-9_][A-Za-z0-9._=+@-]{0,199}$/;
export const maxKeyLength = 512;

export function isKey(key: string): boolean {
  return key.length <= maxKeyLength && key.split('/').every((part) => segment.test(part));
}

/**
 * A key is a relative path of plain segments. No segment begins with a dot, so a key can name neither `..`
 * nor an unfinished file.
 * @throws ProblemError invalid_artifact_key
 */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new ProblemError(
    'invalid_artifact_key',
    `${JSON.stringify(key.slice(0, 100))} is not a valid artifact key: use segments of letters, digits and . _ - + = @ joined by /, none of which begins with a dot; ${maxKeyLength} characters at most.`,
  );
}

/** The URI of every object begins with this text; its key follows. */
export const uriStart = 'artifact:';

/** @throws ProblemError invalid_artifact_key */
export const uriOfKey = (key: string): string => uriStart + checkKey(key);

/** A store knows how its addresses begin, and which part of each may be a key. */
export interface Addresses {
  addressOfKey(key: string): string;
  /** @throws ProblemError artifact_uri_refused */
  partBelowStore(address: string): string;
}

/** Makes the functions that turn the keys of a store into URIs, and URIs back into keys. */
export function namesWith({
  addressOfKey,
  partBelowStore,
}: Addresses): Pick<ArtifactStore, 'uriOf' | 'keyOf' | 'addressOf'> {
  const keyOf = (uri: string) => {
    const part = uri.startsWith(uriStart) ? uri.slice(uriStart.length) : partBelowStore(uri);
    if (isKey(part)) return part;
    throw refusedUri(uri, 'its part below the store is not a key');
  };
  return {
    uriOf: uriOfKey,
    keyOf,
    addressOf(uri) {
      try {
        return addressOfKey(keyOf(uri));
      } catch {
        return uri;
      }
    },
  };
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

/**
 * Checks the bounds of a part of an object and fills in those that are missing.
 * @throws RangeError unless 0 <= start <= endExclusive, both integers
 */
export function checkRange(range: { start?: number; endExclusive?: number }): {
  start: number;
  endExclusive: number;
} {
  const { start = 0, endExclusive = Number.MAX_SAFE_INTEGER } = range;
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(endExclusive);
  if (whole && start >= 0 && endExclusive >= start) return { start, endExclusive };
  throw new RangeError(`the range ${start}..${endExclusive} is not 0 <= start <= endExclusive`);
}
