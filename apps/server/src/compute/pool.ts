/**
 * Runs named kernels on worker_threads, so that the event loop stays free for heartbeats and requests. A task is
 * `{module, export, input}`: the module (a file URL of a compiled kernel task) is loaded once per thread and keeps its state (models, banks).
 */
export interface ComputePool {
  readonly size: number;
  run<Input, Output>(task: ComputeTask<Input, Output>, input: Input, options?: RunOptions): Promise<Output>;
  close(): Promise<void>;
}

/** Names a function `(input, control) => output` exported by a task module under compute/tasks/. */
export interface ComputeTask<Input, Output> {
  /** File name under compute/tasks/ without ending, and the export in it. */
  module: string;
  export: string;
  /** Never set: carries the types. */
  readonly types?: [Input, Output];
}

export interface RunOptions {
  signal?: AbortSignal;
  progress?: (done: number, total: number) => void;
  /** Buffers that move to the thread instead of being copied. */
  transfer?: ArrayBuffer[];
}

/** What a task function gets beside its input. `aborted()` is cheap; ask it between blocks. */
export interface TaskControl {
  aborted(): boolean;
  progress(done: number, total: number): void;
}
