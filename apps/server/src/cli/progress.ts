import type { Reply } from '@kindred/client';
import cliProgress from 'cli-progress';

type Job = Reply<'GET', '/jobs/:id'>;

/** Shows one line on standard error: the step, its share, and the time left. */
export function progressBar(quiet: boolean): { show(step: string): (job: Job) => void; stop(): void } {
  if (quiet) return { show: () => () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar(
    {
      format: '{step} [{bar}] {percentage}% {note}',
      stream: process.stderr,
      noTTYOutput: !process.stderr.isTTY,
      notTTYSchedule: 2000,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { step: 'uploading', note: '' });
  return {
    show: (step) => (job) => {
      bar.setTotal(Math.max(1, job.progress_total ?? 1));
      const note = job.queue_position
        ? `waiting, ${job.queue_position} before it`
        : leftText(job.eta_seconds);
      bar.update(job.status === 'SUCCEEDED' ? Math.max(1, job.progress_total ?? 1) : job.progress_current, {
        step: step.padEnd(9),
        note,
      });
    },
    stop: () => bar.stop(),
  };
}

/** Rounds the service's estimate as far as it can be trusted. */
export function leftText(seconds: number | null): string {
  if (seconds === null) return '';
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s left`;
  return `about ${Math.ceil(seconds / 60)} min left`;
}
