import type { Reply } from '@kindred/client';
import { finalStatuses, type JobStatus } from '@kindred/contracts/vocabulary';
import { api, pageOrNone } from './client.js';

export { type JobStatus, jobStatuses } from '@kindred/contracts/vocabulary';

export type Job = Reply<'GET', '/jobs'>[number];
export type JobDetail = Reply<'GET', '/jobs/:id'>;
export type JobEvent = Reply<'GET', '/jobs/:id/events'>[number];

export interface JobFilter {
  status?: JobStatus;
  operation?: string;
}

export const isFinal = (status: JobStatus): boolean => finalStatuses.includes(status);

export const getJob = (id: string) => api.get('/jobs/:id', { params: { id } });
/** Newest first; the newest 200 say where a job is. */
export const getJobEvents = (id: string) =>
  api.get('/jobs/:id/events', { params: { id }, query: { limit: 200 } });
export const listJobs = (filter: JobFilter, after?: string) =>
  pageOrNone(api.page('/jobs', { query: { ...filter, limit: 50, after } }));
export const cancelJob = (id: string) => api.post('/jobs/:id/cancel', { params: { id } });
