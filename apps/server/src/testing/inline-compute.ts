import type { ComputePool } from '../compute/pool.js';

/** Runs tasks where they are called, from their sources: for tests of operations, not of threads. */
export function inlineCompute(): ComputePool {
  return {
    size: 1,
    async run(task, input, options = {}) {
      options.signal?.throwIfAborted();
      const module = await import(`../compute/tasks/${task.module}.ts`);
      const control = {
        aborted: () => options.signal?.aborted ?? false,
        progress: options.progress ?? (() => {}),
        transfer: () => {},
      };
      // Cloned, as a thread would get and give them.
      const output = structuredClone(await module[task.export](structuredClone(input), control));
      options.signal?.throwIfAborted();
      return output;
    },
    close: async () => {},
  };
}
