import { ProblemError } from '@kindred/contracts';
import type { Log } from '../run/compose.js';
import { schemaFault } from '../store/migrations/migrate.js';
import type { Database } from '../store/postgres/db.js';
import { endingSignals } from '../ground/ending-signals.js';

/** A process that takes longer to stop hangs; process managers wait a little longer. */
const stopLimitMs = 30_000;

/**
 * The limits apply beside a supervisor on this machine, which ends within ten seconds because terminals,
 * containers and systemd do not wait longer. Running work may finish for `finishMs` and is then given back.
 */
export const supervisedStop = { finishMs: 2000, giveBackMs: 4500, limitMs: 6000 };
export const isSupervised = process.send !== undefined;

/** @throws ProblemError if this program cannot work with the database's schema */
export async function refuseWrongSchema(db: Database): Promise<void> {
  const fault = await schemaFault(db);
  if (fault !== null) throw new ProblemError('service_unavailable', fault);
}

/** Shuts the process down cleanly at SIGTERM, SIGINT, or when the supervisor is gone. */
export function untilSignal(log: Log, stop: () => Promise<void>, drainMs = 0): void {
  const limitMs = drainMs + (isSupervised ? supervisedStop.limitMs : stopLimitMs);
  let asked = false;
  const end = (reason: string) => {
    if (asked) return;
    asked = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ limit_seconds: limitMs / 1000 }, 'did not stop in time; ending at once');
      process.exit(1);
    }, limitMs);
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of endingSignals) process.on(signal, () => end(signal));
  const orphaned = () => end('the supervisor ended');
  process.on('disconnect', orphaned);
  // The supervisor may have ended while this process was starting.
  if (process.connected === false) orphaned();
}
