import type { ComputePool } from '../../ground/pool/pool.js';
import type { Database } from '../../store/postgres/db.js';

/** What this room needs of a job or a request. */
export interface BankContext {
  db: Database;
  compute: ComputePool;
  signal: AbortSignal;
}
