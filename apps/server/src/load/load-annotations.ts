import { ProblemError } from '@kindred/contracts';
import { tryAdvisoryLock } from '../store/postgres/advisory-lock.js';
import {
  attachSet,
  createLoadingSet,
  dropLeftovers,
  findCompleteSet,
  indexSet,
  type LoadingSet,
} from '../store/annotations/annotation-load.repository.js';
import { dropSet } from '../store/annotations/annotations.repository.js';
import { fillProteinNames } from '../store/proteins/protein-metadata.repository.js';
import { inTransaction } from '../store/postgres/db.js';
import { withRelaxedCommits } from '../store/annotations/relaxed-commits.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import { loadTerms } from '../store/ontology/term-lookup.js';
import { loadProteinIds } from './annotation-lookup.js';
import { type AnnotationLoad, isOneFile } from './annotation-load.js';
import { AnnotationFill } from './annotation-fill.js';
import { rememberSource } from './unchanged-source.js';
import { compareWithSet } from './compare-with-set.js';
import { loadProblem, nothingLoaded } from './load-problem.js';
import { ReleaseChanged, releaseMeta, releaseOf, requireSameRelease } from './source-release.js';
import { type OperationContext, type OperationOutcome, RetryLater } from '../work/operation/operation.js';

type Result = Record<string, unknown>;

const maxRestarts = 2;

/**
 * Loads a set completely or not at all. Its identity is (source, source version, ontology snapshot): the same
 * content changes nothing, and other content is refused. One load per identity runs at a time; the leftovers
 * of a dead load are removed.
 */
export async function loadAnnotations(
  load: AnnotationLoad,
  context: OperationContext,
): Promise<OperationOutcome> {
  const startMs = performance.now();
  const { source, sourceVersion, ontologySnapshotId } = load.identity;
  const snapshot = await findSnapshot(context.db, ontologySnapshotId);
  if (snapshot === undefined) {
    throw new ProblemError(
      'not_found',
      `There is no ontology snapshot ${ontologySnapshotId}; load one with load_ontology_snapshot.`,
    );
  }
  const lock = `annotation_set:${source}:${sourceVersion}:${ontologySnapshotId}`;
  const outcome = await tryAdvisoryLock(context.db, lock, async () => {
    const existing = await findCompleteSet(context.db, load.identity);
    return existing === undefined
      ? fillFromOneRelease(load, snapshot.obo_version, context)
      : compareWithSet(existing, load, context);
  }).catch((error) => {
    throw loadProblem(error, load.url);
  });
  if (outcome === null) throw new RetryLater(`Another job is loading ${source} ${sourceVersion}`, 30_000);
  const result = { ...outcome.value, elapsed_seconds: (performance.now() - startMs) / 1000 };
  await context.emit(`${load.operation}.done`, result);
  return { kind: 'done', result };
}

/**
 * Restarts if the source publishes another release during the load, because a set holds the rows of one
 * release.
 */
async function fillFromOneRelease(
  load: AnnotationLoad,
  oboVersion: string,
  context: OperationContext,
): Promise<Result> {
  for (let restarts = 0; ; restarts++) {
    const release = await releaseOf(load, context);
    try {
      return await fillNewSet(load, { oboVersion, release }, context);
    } catch (error) {
      if (!(error instanceof ReleaseChanged)) throw error;
      const fields = { from: error.from, to: error.to, restarts: restarts + 1 };
      await context.emit(`${load.operation}.release_changed`, fields, 'warning');
      if (restarts === maxRestarts) throw error;
    }
  }
}

async function fillNewSet(
  load: AnnotationLoad,
  { oboVersion, release }: { oboVersion: string; release: string | null },
  context: OperationContext,
): Promise<Result> {
  const { db, emit } = context;
  const { operation, identity } = load;
  const leftovers = await dropLeftovers(db, identity);
  if (leftovers > 0) await emit(`${operation}.leftovers_dropped`, { sets: leftovers }, 'warning');
  await emit(`${operation}.load_accessions_start`);
  const proteinIds = await loadProteinIds(db, load.accessions);
  await emit(`${operation}.load_accessions_done`, { canonical_accessions: proteinIds.size });
  if (proteinIds.size === 0) {
    throw new ProblemError(
      'nothing_loaded',
      'The database has no protein yet whose annotations could be kept; load proteins with insert_proteins first.',
    );
  }
  await emit(`${operation}.load_go_terms_start`);
  const terms = await loadTerms(db, identity.ontologySnapshotId);
  await emit(`${operation}.load_go_terms_done`, { go_terms: terms.size });
  const meta = {
    ...load.meta,
    ...releaseMeta(load, release),
    proteins_at_load: proteinIds.size,
    row_limit: load.rowLimit,
  };
  const set = await createLoadingSet(db, identity, { jobId: context.jobId, meta });
  await emit(`${operation}.annotation_set_created`, { annotation_set_id: set.id });
  try {
    // Attaching the partition commits durably, and so makes all earlier batches durable.
    const fill = await withRelaxedCommits(db, async (connection) => {
      const filling = new AnnotationFill({ load, set, proteinIds, terms, oboVersion, connection }, context);
      await filling.run();
      await requireSameRelease(release, load, context);
      return filling;
    });
    return await complete(load, set, { fill, meta }, context);
  } catch (error) {
    await drop(set, context);
    throw error;
  }
}

async function complete(
  load: AnnotationLoad,
  set: LoadingSet,
  { fill, meta }: { fill: AnnotationFill; meta: Record<string, unknown> },
  context: OperationContext,
): Promise<Result> {
  const result = { ...fill.result(), skipped: false };
  const { tally } = fill;
  if (tally.kept === 0) {
    await context.emit(`${load.operation}.nothing_kept`, result, 'warning');
    throw nothingKept(load, fill);
  }
  await context.emit(`${load.operation}.index_start`);
  await indexSet(context.db, set.number);
  context.signal.throwIfAborted();
  for (const batch of fill.names.batches())
    await inTransaction(context.db, (trx) => fillProteinNames(trx, batch));
  await inTransaction(context.db, async (trx) => {
    if ((await findCompleteSet(trx, load.identity)) !== undefined) {
      throw new ProblemError('conflict', 'Another job has completed a set of this source version.');
    }
    await attachSet(trx, set, {
      contentSha256: fill.contentSha256,
      annotationCount: tally.kept,
      proteinCount: tally.proteinCount,
      statistics: tally.statistics,
      newestAnnotationDate: tally.newestAnnotationDate,
      meta: { ...meta, header: fill.header, ...load.countsMeta?.(fill) },
    });
  });
  if (isOneFile(load)) await rememberSource(load.url, fill.headersOf(load.url), fill.contentSha256, context);
  return { ...result, annotation_set_id: set.id };
}

function nothingKept(load: AnnotationLoad, { tally, unreadable, rowsRead }: AnnotationFill): ProblemError {
  const reasons = {
    'of proteins that are not in the database': tally.notInDatabase,
    'of terms that the snapshot does not have': tally.unknownTerm,
    'of obsolete terms': tally.obsoleteTerm,
    'that cannot be read': unreadable,
  };
  const hint = 'Load the proteins of this organism first, and the ontology that the file was made with.';
  return nothingLoaded(load.url, { rows: rowsRead, reasons, hint });
}

async function drop(set: LoadingSet, context: OperationContext): Promise<void> {
  await inTransaction(context.db, (trx) => dropSet(trx, set.number)).catch(() => {
    // The database itself may have failed; the next load of this identity removes the leftovers.
  });
}
