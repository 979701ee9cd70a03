import type { ComputePool } from '../../ground/pool/pool.js';
import type { Memory } from '../../ground/memory.js';
import type { Database } from '../../store/postgres/db.js';

/** The banks need these parts of a job or a request. */
export interface BankContext {
  db: Database;
  compute: ComputePool;
  memory: Memory;
  signal: AbortSignal;
}
