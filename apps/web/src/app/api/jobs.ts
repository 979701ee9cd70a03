import { getJson, getPage, post } from './request.js';

export const jobStatuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface Job {
  id: string;
  operation: string;
  queue_name: string;
  status: JobStatus;
  parent_job_id: string | null;
  waits_for_job_id: string | null;
  progress_current: number;
  progress_total: number | null;
  description: string | null;
  tags: string[];
  error_code: string | null;
  error_message: string | null;
  attempts: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface JobDetail extends Job {
  payload: Record<string, unknown>;
  result: Record<string, unknown> | null;
  /** 1 is next; null when not queued. */
  queue_position: number | null;
  eta_seconds: number | null;
}

export interface JobEvent {
  id: number;
  ts: string;
  level: 'info' | 'warning' | 'error';
  event: string;
  message: string | null;
  fields: Record<string, unknown>;
}

export interface JobFilter {
  status?: JobStatus;
  operation?: string;
}

export function isFinal(status: JobStatus): boolean {
  return status === 'SUCCEEDED' || status === 'FAILED' || status === 'CANCELLED';
}

export const getJob = (id: string) => getJson<JobDetail>(`/jobs/${id}`);
/** Newest first; the newest 200 say where a job is. */
export const getJobEvents = (id: string) => getJson<JobEvent[]>(`/jobs/${id}/events`, { limit: 200 });
export const listJobs = (filter: JobFilter, after?: string) =>
  getPage<Job>('/jobs', { ...filter, limit: 50, after });
export const cancelJob = (id: string) => post<Job>(`/jobs/${id}/cancel`);
