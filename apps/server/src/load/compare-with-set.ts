import { ProblemError } from '@kindred/contracts';
import type { CompleteSet } from '../store/annotations/annotation-load.repository.js';
import { countAccessions } from '../store/proteins/proteins.repository.js';
import { type AnnotationLoad, isOneFile } from './annotation-load.js';
import { loadProteinIds } from './annotation-lookup.js';
import type { OperationContext } from '../work/operation/operation.js';
import { isSameRelease, releaseOf, requireSameRelease } from './source-release.js';
import { isUnchanged } from './unchanged-source.js';
import { SourceSession } from '../work/operation/source-session.js';

/**
 * Reads the source only for its digest; callers use it if a set of this identity exists. The same content
 * needs no work. Other content is refused, because a prediction that names the set must always refer to the
 * same rows.
 * @throws ProblemError conflict
 */
export async function compareWithSet(
  existing: CompleteSet,
  load: AnnotationLoad,
  context: OperationContext,
): Promise<Record<string, unknown>> {
  const { operation, identity } = load;
  await context.emit(`${operation}.annotation_set_exists`, { annotation_set_id: existing.id });
  const release = await releaseOf(load, context);
  const sameRelease = isSameRelease(existing, load, release);
  if (sameRelease) await context.emit(`${operation}.not_modified`, { url: load.url, release });
  const unchanged =
    sameRelease ||
    (isOneFile(load) && (await isUnchanged(load.url, existing.content_sha256, context, operation)));
  const sha256 = unchanged ? existing.content_sha256 : await digestOf(load, context);
  if (!unchanged) await requireSameRelease(release, load, context);
  if (sha256 !== existing.content_sha256) {
    throw new ProblemError(
      'conflict',
      `${identity.source} ${identity.sourceVersion} is loaded as annotation set ${existing.id} from other content (sha256 ${existing.content_sha256}, now ${sha256}). Give another source_version, or delete that set first.`,
    );
  }
  const { size: proteins } =
    typeof load.accessions === 'string'
      ? { size: await countAccessions(context.db, load.accessions) }
      : await loadProteinIds(context.db, load.accessions);
  const atLoad = existing.meta.proteins_at_load;
  const proteinsChanged = proteins !== atLoad;
  if (proteinsChanged) {
    const hint =
      'proteins that came later have no annotations in the set; delete the set and load again to include them';
    await context.emit(`${operation}.proteins_changed`, { at_load: atLoad, now: proteins, hint }, 'warning');
  }
  return {
    annotation_set_id: existing.id,
    skipped: true,
    annotations_inserted: 0,
    annotation_count: existing.annotation_count,
    proteins_annotated: existing.protein_count,
    content_sha256: sha256,
    proteins_changed: proteinsChanged,
  };
}

async function digestOf(load: AnnotationLoad, context: OperationContext): Promise<string> {
  const session = new SourceSession(context, {
    operation: load.operation,
    rowLimit: load.rowLimit,
    headerLines: load.headerLines,
    sideUrls: load.sideUrls,
    keep: () => false,
  });
  for await (const batch of load.source.annotations(load.parameters, session.context)) {
    context.signal.throwIfAborted();
    await context.progress(batch.seen, batch.total);
    if (session.limitReached) break;
  }
  return session.contentSha256;
}
