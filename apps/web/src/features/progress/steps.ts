import type { JobDetail } from '../../app/api/jobs.js';
import { jobTitle } from '../../shared/job-title.js';
import { formatAbout, formatTook, plural } from '../../shared/format.js';

export type StepState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export interface Step {
  title: string;
  state: StepState;
  /** One line on the progress of the step. */
  note: string;
  /** The share that is done, 0 to 1; null if the total is not known. */
  fraction: number | null;
}

const titles: Record<string, string> = {
  compute_embeddings: 'Reading your sequences',
  predict_go_terms: 'Finding similar proteins and their functions',
};

/** Describes a job as a step of a run. */
export function stepOf(job: JobDetail, waitsForOther: boolean): Step {
  const title = titles[job.operation] ?? jobTitle(job.operation);
  const { progress_current: current, progress_total: total } = job;
  const fraction = total === null || total === 0 ? null : Math.min(1, current / total);
  switch (job.status) {
    case 'QUEUED':
      return { title, state: 'waiting', note: queueNote(job, waitsForOther), fraction: null };
    case 'RUNNING': {
      const progress = fraction === null ? 'Running' : `${Math.floor(100 * fraction)} % done`;
      const left = job.eta_seconds === null ? ', estimating how long it takes' : etaNote(job);
      return { title, state: 'running', note: progress + left, fraction };
    }
    case 'SUCCEEDED':
      return { title, state: 'done', note: tookNote(job), fraction: 1 };
    case 'FAILED':
      return {
        title,
        state: 'failed',
        note: job.error_message ?? 'It failed, and no reason was recorded.',
        fraction,
      };
    case 'CANCELLED':
      return { title, state: 'cancelled', note: job.error_message ?? 'Cancelled', fraction };
  }
}

function queueNote(job: JobDetail, waitsForOther: boolean): string {
  if (waitsForOther) return 'Starts when the step before is done';
  if (job.queue_position === null) return 'In the queue';
  if (job.queue_position <= 1) return `Next in the queue${etaNote(job)}`;
  return `${plural(job.queue_position - 1, 'job')} before it in the queue${etaNote(job)}`;
}

function etaNote(job: JobDetail): string {
  return job.eta_seconds === null ? '' : `, done in about ${formatAbout(job.eta_seconds)}`;
}

function tookNote(job: JobDetail): string {
  if (job.started_at === null || job.finished_at === null) return 'Done';
  return `Done in ${formatTook(job.started_at, job.finished_at)}`;
}

/** Returns the prediction set that a finished job made; null for jobs that make none. */
export function resultOf(job: JobDetail): string | null {
  const id = job.result?.prediction_set_id;
  return job.status === 'SUCCEEDED' && typeof id === 'string' ? id : null;
}
