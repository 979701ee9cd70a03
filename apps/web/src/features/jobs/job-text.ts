import type { Job, JobDetail, JobEvent } from '../../app/api/jobs.js';
import { formatCount, formatDuration, formatTime, formatTook, plural } from '../../shared/format.js';

/** Writes `3 of 12`, or nothing if the job counts nothing. */
export function progressText(job: Job): string {
  const { progress_current: current, progress_total: total } = job;
  if (total === null || total === 0) return '';
  return `${formatCount(current)} of ${formatCount(total)}`;
}

/** Returns the facts of a job as name and value; facts that it lacks are left out. */
export function jobFacts(job: JobDetail, nowMs: number): [string, string][] {
  const facts: [string, string][] = [
    ['Queue', job.queue_name],
    ['Queued', formatTime(job.created_at)],
  ];
  if (job.queue_position !== null) facts.push(['Position in the queue', formatCount(job.queue_position)]);
  if (job.started_at !== null) {
    facts.push(['Started', formatTime(job.started_at)]);
    facts.push([
      job.finished_at === null ? 'Running for' : 'Took',
      formatTook(job.started_at, job.finished_at ?? nowMs),
    ]);
  }
  if (job.eta_seconds !== null) facts.push(['Done in about', formatDuration(job.eta_seconds)]);
  if (progressText(job) !== '') facts.push(['Progress', progressText(job)]);
  if (job.attempts > 1) facts.push(['Attempts', plural(job.attempts, 'attempt')]);
  return facts;
}

/** Writes one line for an event: its message, or its fields. */
export function eventLine({ message, fields }: JobEvent): string {
  if (message !== null && message !== '') return message;
  return Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${fieldText(value)}`)
    .join(', ');
}

function fieldText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : String(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(fieldText).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(
    ([name, part]) => `${name.replaceAll('_', ' ')} ${fieldText(part)}`,
  );
  return `(${parts.join(', ')})`;
}
