import type { Reply } from '@kindred/client';
import cliProgress from 'cli-progress';

type Job = Reply<'GET', '/jobs/:id'>;

/** A log gets a line of a step that goes on at most this often. */
const lineEveryMs = 30_000;

export interface Progress {
  /** Shows the step and its share, with a note such as the time that is left. */
  show(step: string, done: number, total: number, note?: string): void;
  stop(): void;
}

/** Shows progress on standard error: a bar in a terminal, else a line for each step and now and then one for its share. */
export function openProgress(quiet: boolean): Progress {
  if (quiet) return { show: () => {}, stop: () => {} };
  return process.stderr.isTTY ? drawnBar() : lines();
}

function drawnBar(): Progress {
  const bar = new cliProgress.SingleBar(
    { format: '[{bar}] {percentage}% {step} {note}', stream: process.stderr, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { step: '', note: '' });
  return {
    show(step, done, total, note = '') {
      bar.setTotal(Math.max(1, total));
      bar.update(done, { step, note });
    },
    stop: () => bar.stop(),
  };
}

function lines(): Progress {
  let [step, text, at] = ['', '', 0];
  return {
    show(next, done, total, note = '') {
      const percent = Math.floor((100 * done) / Math.max(1, total));
      const words = [next, percent > 0 ? `${percent} %` : '', note].filter((word) => word !== '').join(', ');
      const isDue = next !== step || Date.now() - at >= lineEveryMs;
      if (!isDue || words === text) return;
      [step, text, at] = [next, words, Date.now()];
      process.stderr.write(`${words}\n`);
    },
    stop: () => {},
  };
}

/** Shows how a job goes on. */
export const showJob =
  (shown: Progress, step: string) =>
  (job: Job): void => {
    const total = Math.max(1, job.progress_total ?? 1);
    const note = job.queue_position ? `waiting, ${job.queue_position} before it` : leftText(job.eta_seconds);
    shown.show(step, job.status === 'SUCCEEDED' ? total : job.progress_current, total, note);
  };

/** Rounds the service's estimate as far as it can be trusted. */
export function leftText(seconds: number | null): string {
  if (seconds === null) return '';
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s left`;
  return `about ${Math.ceil(seconds / 60)} min left`;
}
