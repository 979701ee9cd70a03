import { exportOldAudit } from '../../resources/audit-export.js';
import { removeUnreferencedArtifacts } from '../../resources/unreferenced-artifacts.js';
import { claimDailyRun, retryDailyRun } from '../../store/maintenance/maintenance-runs.repository.js';
import type { WorkerRuntime } from './runtime.js';

type DailyChore = (runtime: WorkerRuntime, signal: AbortSignal) => Promise<void>;

/** One day deletes at most this many objects. */
const sweptADay = 10_000;

/**
 * One worker process of a service does these chores once a day. They may take long, and hold no transaction
 * meanwhile.
 */
const dailyChores: Record<string, DailyChore> = {
  'export the old audit log': exportAudit,
  'delete unreferenced artifacts': deleteUnreferencedArtifacts,
};

/**
 * Does the chores that are due.
 * @throws the first error, after which that chore is due again in an hour
 */
export async function runDailyChores(runtime: WorkerRuntime, signal: AbortSignal): Promise<void> {
  const { db } = runtime.services;
  for (const [name, chore] of Object.entries(dailyChores)) {
    if (signal.aborted) return;
    if (!(await claimDailyRun(db, name))) continue;
    try {
      await chore(runtime, signal);
    } catch (error) {
      await retryDailyRun(db, name);
      if (!signal.aborted) throw error;
    }
  }
}

async function exportAudit(runtime: WorkerRuntime, signal: AbortSignal): Promise<void> {
  const { services, settings, log } = runtime;
  const days = settings.retention.auditDays;
  const { rows, files } = await exportOldAudit(services.db, services.artifacts, { days, signal });
  if (rows > 0) log.info({ rows, files }, 'old rows of the audit log were moved into files');
}

async function deleteUnreferencedArtifacts(runtime: WorkerRuntime, signal: AbortSignal): Promise<void> {
  const { services, settings, log } = runtime;
  // Another service may keep objects in the same bucket, under the same kinds of keys, and our rows do not
  // refer to them.
  if (services.artifacts.backend === 's3' && !settings.retention.sweepBucket) return;
  const { count, sizeBytes, examples, more } = await removeUnreferencedArtifacts(
    services.db,
    services.artifacts,
    { olderThanDays: settings.retention.unreferencedArtifactDays, limit: sweptADay, signal },
  );
  if (count > 0)
    log.info(
      { artifacts: count, size_bytes: sizeBytes, examples, more },
      'artifacts that nothing referred to were deleted',
    );
}
