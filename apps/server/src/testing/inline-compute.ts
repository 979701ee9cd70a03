import type { ComputePool } from '../ground/pool/pool.js';

/** Runs tasks in the calling thread, from source. It serves tests of operations, not of threads. */
export function inlineCompute(): ComputePool {
  return {
    size: 1,
    async run(task, input, options = {}) {
      options.signal?.throwIfAborted();
      const control = {
        aborted: () => options.signal?.aborted ?? false,
        progress: options.progress ?? (() => {}),
        bounded: async <Value>(_limit: unknown, work: () => Value | Promise<Value>) => work(),
        transfer: () => {},
      };
      // Input and output are cloned, as between threads.
      const output = structuredClone(await task.run(structuredClone(input), control));
      options.signal?.throwIfAborted();
      return output;
    },
    close: async () => {},
  };
}
