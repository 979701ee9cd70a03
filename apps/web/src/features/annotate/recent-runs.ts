/** A run that was started from this browser. Runs without an account are in no list, so this record is the way back to them. */
export interface RecentRun {
  jobId: string;
  name: string;
  sequences: number;
  startedAt: string;
  /** The time at which the run expires; null if it never does. */
  expiresAt: string | null;
}

const key = 'kindred-recent-runs';
const kept = 10;

/** Reads the runs that have not expired, newest first. The content of the storage is not trusted. */
export function readRuns(stored: string | null, nowMs: number): RecentRun[] {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.filter(isRun).filter((run) => run.expiresAt === null || Date.parse(run.expiresAt) > nowMs);
}

export function withRun(runs: readonly RecentRun[], run: RecentRun): RecentRun[] {
  return [run, ...runs.filter((other) => other.jobId !== run.jobId)].slice(0, kept);
}

function isRun(value: unknown): value is RecentRun {
  if (typeof value !== 'object' || value === null) return false;
  const { jobId, name, sequences, startedAt, expiresAt } = value as Record<string, unknown>;
  return (
    typeof jobId === 'string' &&
    typeof name === 'string' &&
    typeof sequences === 'number' &&
    typeof startedAt === 'string' &&
    (expiresAt === null || typeof expiresAt === 'string')
  );
}

export function recentRuns(): RecentRun[] {
  try {
    return readRuns(localStorage.getItem(key), Date.now());
  } catch {
    return [];
  }
}

export function rememberRun(run: RecentRun): void {
  try {
    localStorage.setItem(key, JSON.stringify(withRun(recentRuns(), run)));
  } catch {
    // If storage is off or full, the run is still reachable by its address.
  }
}
