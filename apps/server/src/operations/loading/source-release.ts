import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import type { CompleteSet } from '../../store/annotations/annotation-load.repository.js';
import type { OperationContext } from '../operation.js';
import type { AnnotationLoad } from './annotation-load.js';
import { SourceSession } from './source-session.js';

/** The source went on to another release while it was read, so that what was read mixes two. */
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

/** What the source calls its release now; null where it names none. */
export async function releaseOf(load: AnnotationLoad, context: OperationContext): Promise<string | null> {
  // Beside the content: of its digest this answer is no part.
  const { operation, source, parameters } = load;
  const session = new SourceSession(context, { operation, rowLimit: null, headerLines: 0, sideUrls: [] });
  return (await source.release?.(parameters, session.context)) ?? null;
}

/** @throws ReleaseChanged where the release that was named before the reading is not the present one any more */
export async function requireSameRelease(
  before: string | null,
  load: AnnotationLoad,
  context: OperationContext,
): Promise<void> {
  if (before === null) return;
  const now = await releaseOf(load, context);
  if (now !== before) throw new ReleaseChanged(load.url, before, now);
}

/** What a set remembers, so that the same question to the same release needs no second reading. */
export function releaseMeta(load: AnnotationLoad, release: string | null): Record<string, unknown> {
  return release === null ? {} : { release, question_sha256: questionDigest(load) };
}

/** True when the set was made by the same question to the release that the source gives now. */
export function isSameRelease(existing: CompleteSet, load: AnnotationLoad, release: string | null): boolean {
  return (
    release !== null &&
    // What a side file holds now, only reading it tells.
    load.sideUrls.length === 0 &&
    existing.meta.release === release &&
    existing.meta.question_sha256 === questionDigest(load)
  );
}

function questionDigest({ parameters, rowLimit }: AnnotationLoad): string {
  // These two change how it is asked, not what is answered.
  const { page_size, timeout_seconds, ...question } = parameters;
  return createHash('sha256')
    .update(JSON.stringify([question, rowLimit]))
    .digest('hex');
}
