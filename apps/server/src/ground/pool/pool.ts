/**
 * Runs tasks on worker_threads, so that the event loop stays free for heartbeats and requests. A task module is
 * loaded once per thread and keeps its state (models, banks). Calls beyond `size` wait in order of arrival, urgent ones first; one urgent
 * call at a time runs beside them, in a thread of its own.
 */
export interface ComputePool {
  readonly size: number;
  /**
   * Rejects with what the task threw (a ProblemError stays one), with the signal's reason as soon as it is aborted,
   * and with ComputeThreadLost when the thread died; the next task then gets a new thread.
   */
  run<Input, Output>(task: ComputeTask<Input, Output>, input: Input, options?: RunOptions): Promise<Output>;
  /** Ends all threads; what runs or waits is rejected. */
  close(): Promise<void>;
}

/** The function that a module gives the pool. The caller imports it for its address and types, a thread to run it. */
export interface ComputeTask<Input, Output> extends TaskOptions {
  /** The module's own `import.meta.url`. */
  address: string;
  run(input: Input, control: TaskControl): Output | Promise<Output>;
}

export interface TaskOptions {
  /** True for a task that keeps much memory of its own in its thread (a model): it never runs in the thread for urgent calls. */
  keepsMuch?: boolean;
}

/** Makes a function the task of its module, which exports no other: `export const alignTask = task(import.meta.url, align)`. */
export function task<Input, Output>(
  address: string,
  run: (input: Input, control: TaskControl) => Output | Promise<Output>,
  options: TaskOptions = {},
): ComputeTask<Input, Output> {
  return { address, run, ...options };
}

/** The task that a module at an address exports, without those that it imports; null: none, or more than one. */
export function taskOf(module: object, address: string): ComputeTask<unknown, unknown> | null {
  const found = Object.values(module).filter(
    (value: unknown): value is ComputeTask<unknown, unknown> =>
      typeof value === 'object' && value !== null && 'address' in value && value.address === address,
  );
  return found.length === 1 ? found[0] : null;
}

export interface RunOptions {
  signal?: AbortSignal;
  progress?: (done: number, total: number) => void;
  /** True for a call that gets the next free thread, or the extra one at once if that is free. */
  urgent?: boolean;
  /** Buffers that move to the thread instead of being copied. */
  transfer?: ArrayBuffer[];
}

export interface TaskLimit {
  ms: number;
  fault: Error;
}

/** Signals and progress for a task function, besides its input. `aborted()` is cheap; call it between blocks. */
export interface TaskControl {
  aborted(): boolean;
  /**
   * Runs foreign code, which may block the thread and never return: after the limit the call rejects with `fault`, and the thread ends
   * if it still has not returned a while later.
   */
  bounded<Output>(limit: TaskLimit, work: () => Output | Promise<Output>): Promise<Output>;
  progress(done: number, total: number): void;
  /** Names buffers of the output that move to the caller instead of being copied; the task must not keep them. */
  transfer(...buffers: ArrayBuffer[]): void;
}
