import { ProblemError } from '@kindred/contracts';
import { endingSignals } from '../ground/ending-signals.js';

/** Ctrl-C and a closed terminal count as failures: `work` undoes what it did, and `words` say so. */
export async function untilEnded<T>(words: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort(new ProblemError('conflict', words));
  for (const name of endingSignals) process.once(name, end);
  try {
    return await work(ending.signal);
  } finally {
    for (const name of endingSignals) process.off(name, end);
  }
}

/** Says what becomes of the work in the service when a signal ends the command that waits for it. */
export async function sayingWhatGoesOn<T>(words: string, wait: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals) => {
    process.stderr.write(`\n${words}\n`);
    for (const name of endingSignals) process.off(name, end);
    process.kill(process.pid, signal);
  };
  for (const name of endingSignals) process.once(name, end);
  try {
    return await wait();
  } finally {
    for (const name of endingSignals) process.off(name, end);
  }
}
