import { ProblemError } from '@kindred/contracts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C and a closed terminal count as failures: `work` undoes what it did, and `words` say so. */
export async function untilEnded<T>(words: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort(new ProblemError('conflict', words));
  for (const name of endings) process.once(name, end);
  try {
    return await work(ending.signal);
  } finally {
    for (const name of endings) process.off(name, end);
  }
}
