import type { RetentionSlice } from '../../ground/settings/retention.js';
import {
  deleteAnonymousJobs,
  deleteOldBatches,
  deleteOldDeliveries,
  deleteOldEvents,
  foldOldestVisits,
} from '../../store/maintenance/retention.repository.js';
import type { Transaction } from '../../store/postgres/db.js';

/** One transaction deletes at most this many rows of one table. */
const chunk = 5000;
/** After this many rows of visits, the next day waits for the next round; a day is folded whole. */
const visitsAtOnce = 50_000;

export interface Forgotten {
  events: number;
  batches: number;
  jobs: number;
  visits: number;
  deliveries: number;
}

/** Deletes old rows in one round: a bounded number of rows of each kind, in the caller's transaction. */
export async function forgetOld(trx: Transaction, kept: RetentionSlice): Promise<Forgotten> {
  return {
    jobs: await deleteAnonymousJobs(trx, kept.anonymousJobDays, chunk),
    batches: await deleteOldBatches(trx, kept.batchDays, chunk),
    events: await deleteOldEvents(trx, kept.eventDays, chunk),
    visits: await foldOldVisits(trx, kept.visitDays),
    deliveries: await deleteOldDeliveries(trx, kept.webhookDeliveryDays, chunk),
  };
}

/** Folds day by day, so that a service which was off for months is done within half an hour. */
async function foldOldVisits(trx: Transaction, days: number): Promise<number> {
  let folded = 0;
  while (folded < visitsAtOnce) {
    const visits = await foldOldestVisits(trx, days);
    if (visits === 0) break;
    folded += visits;
  }
  return folded;
}
