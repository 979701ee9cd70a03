import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { type OboDocument, readObo } from '@kindred/kernels/ontology';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { inTransaction } from '../store/postgres/db.js';
import { findSnapshotByVersion, type OntologySnapshotRow } from '../store/ontology/ontology.repository.js';
import {
  addMissingRelationships,
  insertSnapshot,
  type NewSnapshot,
} from '../store/ontology/ontology-load.repository.js';
import { loadProblem } from './load-problem.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { type SnapshotDraft, snapshotOf } from './snapshot-of-obo.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'load_ontology_snapshot'>;
type Result = Record<string, unknown>;

const name = 'load_ontology_snapshot';

/**
 * Reads and checks the whole file, then writes the release in one transaction. A release that is already
 * stored is not written again.
 */
export const loadOntologySnapshot: Operation<'load_ontology_snapshot'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    await context.emit(`${name}.start`, { obo_url: payload.obo_url });
    const draft = await readDraft(payload, context);
    context.signal.throwIfAborted();
    // If two jobs load the same release, the second one waits and then finds it.
    const result = await withAdvisoryLock(
      context.db,
      `ontology_snapshot:${draft.snapshot.oboVersion}`,
      async () => {
        const stored = await findSnapshotByVersion(context.db, draft.snapshot.oboVersion);
        return stored === undefined ? insert(draft, context) : compare(stored, draft, payload, context);
      },
    );
    const elapsed_seconds = (performance.now() - startMs) / 1000;
    const full = { ...result, rejected_lines: draft.rejected.length, elapsed_seconds };
    await context.emit(`${name}.done`, full);
    return { kind: 'done', result: full };
  },
};

async function readDraft(payload: Payload, context: OperationContext): Promise<SnapshotDraft> {
  const session = new SourceSession(context, {
    operation: name,
    rowLimit: null,
    headerLines: 0,
    sideUrls: [],
  });
  await context.emit(`${name}.download_start`, { obo_url: payload.obo_url });
  let document: OboDocument;
  try {
    const stream = await session.context.openStream(payload.obo_url, {
      timeoutMs: 1000 * payload.timeout_seconds,
    });
    document = await readObo(stream.bytes);
  } catch (error) {
    throw loadProblem(error, payload.obo_url);
  }
  await context.emit(`${name}.version`, { obo_version: document.version, sha256: session.contentSha256 });
  const draft = snapshotOf(document, { url: payload.obo_url, sha256: session.contentSha256 });
  const { termCounts, terms, altIds } = draft.snapshot;
  await context.emit(`${name}.parsed`, {
    term_count: terms.length,
    alt_id_count: altIds.size,
    ...termCounts,
  });
  if (draft.rejected.length > 0) {
    const lines = draft.rejected.slice(0, 50);
    await context.emit(`${name}.rejected`, { total: draft.rejected.length, lines }, 'warning');
  }
  return draft;
}

async function insert({ snapshot }: SnapshotDraft, { db }: OperationContext): Promise<Result> {
  const row = await inTransaction(db, (trx) => insertSnapshot(trx, snapshot));
  return {
    ...factsOf(row),
    skipped: false,
    terms_inserted: snapshot.terms.length,
    relationships_inserted: row.relationship_count,
    alt_ids_inserted: row.alt_id_count,
  };
}

function factsOf(row: OntologySnapshotRow): Result {
  return {
    ontology_snapshot_id: row.id,
    obo_version: row.obo_version,
    obo_sha256: row.obo_sha256,
    term_counts: row.term_counts,
    relationship_count: row.relationship_count,
    alt_id_count: row.alt_id_count,
  };
}

/**
 * Two files may have the same data-version (go.obo and go-basic.obo do). A stored release must keep matching
 * its digest.
 */
async function compare(
  stored: OntologySnapshotRow,
  { snapshot }: SnapshotDraft,
  payload: Payload,
  context: OperationContext,
): Promise<Result> {
  const { oboSha256, oboVersion } = snapshot;
  const differs = stored.obo_sha256 !== oboSha256;
  await context.emit(`${name}.already_exists`, { ontology_snapshot_id: stored.id, obo_version: oboVersion });
  if (differs) {
    const fields = { obo_version: oboVersion, stored_sha256: stored.obo_sha256, this_sha256: oboSha256 };
    await context.emit(`${name}.content_differs`, fields, 'warning');
  }
  if (payload.force_relationships && differs) {
    throw new ProblemError(
      'conflict',
      `${oboVersion} was loaded from a file with sha256 ${stored.obo_sha256}; this one has ${oboSha256}. The edges of two files are not mixed: give the file that was loaded.`,
    );
  }
  if (!differs && (payload.force_relationships || stored.relationship_count === 0)) {
    return backfill(stored, snapshot, context);
  }
  return {
    ...factsOf(stored),
    skipped: true,
    content_differs: differs,
    terms_inserted: 0,
    relationships_inserted: 0,
  };
}

async function backfill(
  stored: OntologySnapshotRow,
  snapshot: NewSnapshot,
  context: OperationContext,
): Promise<Result> {
  await context.emit(`${name}.backfill_relationships`, { ontology_snapshot_id: stored.id });
  const { added, total } = await inTransaction(context.db, (trx) =>
    addMissingRelationships(trx, stored.id, snapshot.terms),
  );
  await context.emit(`${name}.backfill_done`, { relationships_inserted: added });
  return {
    ...factsOf(stored),
    relationship_count: total,
    skipped: added === 0,
    terms_inserted: 0,
    relationships_inserted: added,
  };
}
