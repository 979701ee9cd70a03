import type { JobStatus } from '@kindred/contracts';

/** Counts of a worker, which telemetry exports as jobs_total, job_duration_seconds and the two batch histograms. */
export interface WorkerMetrics {
  /** `seconds` from start to end; null for a job that never started. */
  jobFinished(operation: string, status: JobStatus, seconds: number | null): void;
  /** `operation`: compute_embeddings_batch, store_embeddings, predict_go_terms_batch, store_predictions. */
  batchFinished(operation: string, seconds: number): void;
  /** Jobs whose worker vanished. */
  leasesLost(count: number): void;
  /** Adds what was counted since the last call to the totals that every API process shows. */
  report(): Promise<void>;
}

export const noMetrics: WorkerMetrics = {
  jobFinished: () => {},
  batchFinished: () => {},
  leasesLost: () => {},
  report: async () => {},
};
