import type { RetentionSlice } from '../../ground/settings/retention.js';
import {
  deleteAnonymousJobs,
  deleteOldBatches,
  deleteOldDeliveries,
  deleteOldEvents,
  foldOldestVisits,
} from '../../store/maintenance/retention.repository.js';
import type { Transaction } from '../../store/postgres/db.js';

/** Rows of one table that one transaction deletes. */
const chunk = 5000;

export interface Forgotten {
  events: number;
  batches: number;
  jobs: number;
  visits: number;
  deliveries: number;
}

/** One round of deleting old rows: a bounded number of rows of each kind, in the caller's transaction. */
export async function forgetOld(trx: Transaction, kept: RetentionSlice): Promise<Forgotten> {
  return {
    jobs: await deleteAnonymousJobs(trx, kept.anonymousJobDays, chunk),
    batches: await deleteOldBatches(trx, kept.batchDays, chunk),
    events: await deleteOldEvents(trx, kept.eventDays, chunk),
    visits: await foldOldestVisits(trx, kept.visitDays),
    deliveries: await deleteOldDeliveries(trx, kept.webhookDeliveryDays, chunk),
  };
}
