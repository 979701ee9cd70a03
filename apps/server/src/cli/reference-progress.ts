import cliProgress from 'cli-progress';

export interface BuildProgress {
  show(what: string, done: number, total: number): void;
  stop(): void;
}

export function buildProgress(quiet: boolean): BuildProgress {
  if (quiet) return { show: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar(
    {
      format: '[{bar}] {percentage}% {what}',
      stream: process.stderr,
      noTTYOutput: !process.stderr.isTTY,
      notTTYSchedule: 5000,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { what: '' });
  return {
    show(what, done, total) {
      bar.setTotal(Math.max(1, total));
      bar.update(done, { what });
    },
    stop: () => bar.stop(),
  };
}
