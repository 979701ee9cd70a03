import type { JobStatus } from '@kindred/contracts';

/** A worker keeps these in memory between batches: a reference bank, and the model of each compute thread. */
export type WorkerCache = 'bank' | 'model';

/**
 * A worker counts these, and telemetry exports them as jobs_total, job_duration_seconds, the two batch
 * histograms and worker_cache_total.
 */
export interface WorkerMetrics {
  /** `seconds` counts from start to end; null for a job that never started. */
  jobFinished(operation: string, status: JobStatus, seconds: number | null): void;
  /**
   * `operation` is compute_embeddings_batch, store_embeddings, predict_go_terms_batch or store_predictions.
   */
  batchFinished(operation: string, seconds: number): void;
  /** Counts whether the bank or model of a batch was in memory (`kept`) or had to be read first. */
  cacheAsked(cache: WorkerCache, kept: boolean): void;
  /** Counts jobs whose worker vanished. */
  leasesLost(count: number): void;
  /** Adds what was counted since the last call to the totals that every API process shows. */
  report(): Promise<void>;
}

export const noMetrics: WorkerMetrics = {
  jobFinished: () => {},
  batchFinished: () => {},
  cacheAsked: () => {},
  leasesLost: () => {},
  report: async () => {},
};
