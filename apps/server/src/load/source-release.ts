import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import type { CompleteSet } from '../store/annotations/annotation-load.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import type { AnnotationLoad } from './annotation-load.js';
import { SourceSession } from '../work/operation/source-session.js';

/** The source published another release while it was read, so the content mixes two. */
export class ReleaseChanged extends ProblemError {
  constructor(
    url: string,
    readonly from: string,
    readonly to: string | null,
  ) {
    super(
      'fetch_failed',
      `${url} changed from release ${from} to ${to ?? 'one that it does not name'} while it was read; run the job again later.`,
    );
  }
}

/** Gives the source's current release; null if the source names none. */
export async function releaseOf(load: AnnotationLoad, context: OperationContext): Promise<string | null> {
  // The release is read outside the session, because this answer must not change the content's digest.
  const { operation, source, parameters } = load;
  const session = new SourceSession(context, { operation, rowLimit: null, headerLines: 0, sideUrls: [] });
  return (await source.release?.(parameters, session.context)) ?? null;
}

/** @throws ReleaseChanged if the release has changed since the start of the reading */
export async function requireSameRelease(
  before: string | null,
  load: AnnotationLoad,
  context: OperationContext,
): Promise<void> {
  if (before === null) return;
  const now = await releaseOf(load, context);
  if (now !== before) throw new ReleaseChanged(load.url, before, now);
}

/**
 * A set stores these facts of its load, so that the same query to the same release need not be read again.
 */
export function releaseMeta(load: AnnotationLoad, release: string | null): Record<string, unknown> {
  return release === null ? {} : { release, question_sha256: questionDigest(load) };
}

/** Returns true if the set was made by the same query from the source's current release. */
export function isSameRelease(existing: CompleteSet, load: AnnotationLoad, release: string | null): boolean {
  return (
    release !== null &&
    // The current content of a side file is known only after reading it.
    load.sideUrls.length === 0 &&
    existing.meta.release === release &&
    existing.meta.question_sha256 === questionDigest(load)
  );
}

function questionDigest({ parameters, rowLimit }: AnnotationLoad): string {
  // These two parameters change how the source is read, but not the result.
  const { page_size, timeout_seconds, ...question } = parameters;
  return createHash('sha256')
    .update(JSON.stringify([question, rowLimit]))
    .digest('hex');
}
