import type { Reply } from '@kindred/client';
import { finalStatuses, type JobStatus } from '@kindred/contracts/vocabulary';
import { api, pageOrNone, rowsOrNone } from './client.js';

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
/** Fetches the newest 200 events, newest first, which say where a job is. */
export const getJobEvents = (id: string) =>
  api.get('/jobs/:id/events', { params: { id }, query: { limit: 200 } });
export const listJobs = (filter: JobFilter, after?: string) =>
  pageOrNone(api.page('/jobs', { query: { ...filter, limit: 50, after } }));
/** Fetches the newest jobs that this one started. */
export const listChildren = (id: string) =>
  rowsOrNone(api.get('/jobs', { query: { parent_job_id: id, limit: 50 } }));
export type JobComment = Reply<'GET', '/jobs/:id/comments'>[number];
export const listComments = (id: string) =>
  rowsOrNone(api.get('/jobs/:id/comments', { params: { id }, query: { limit: 200 } }));
export const addComment = (id: string, body: string) =>
  api.post('/jobs/:id/comments', { params: { id }, body: { body } });
/** Starts the same work once more, as a new job. */
export const repeatJob = ({ operation, queue_name, payload, description, tags }: JobDetail) =>
  api.post('/jobs', { body: { operation, queue_name, payload, description, tags } });
export const eventStreamAddress = (id: string) => api.address('/jobs/:id/events', { params: { id } });
export const cancelJob = (id: string) => api.post('/jobs/:id/cancel', { params: { id } });
