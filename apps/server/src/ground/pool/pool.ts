/**
 * Runs tasks on worker_threads, so that the event loop stays free for heartbeats and requests. Each thread
 * loads a task module once and keeps its state (models, banks). Calls beyond `size` wait in order of arrival,
 * urgent ones first; one urgent call at a time runs beside them, in its own thread.
 */
export interface ComputePool {
  readonly size: number;
  /**
   * Rejects with the error of the task (a ProblemError stays one), with the signal's reason as soon as the
   * signal is aborted, or with ComputeThreadLost when the thread died. The next task then gets a new thread.
   */
  run<Input, Output>(task: ComputeTask<Input, Output>, input: Input, options?: RunOptions): Promise<Output>;
  /** Ends all threads, and rejects the calls that run or wait. */
  close(): Promise<void>;
}

/**
 * A module gives this function to the pool. The caller imports it for its address and types, and a thread
 * imports it to run it.
 */
export interface ComputeTask<Input, Output> extends TaskOptions {
  /** A module passes its own `import.meta.url`. */
  address: string;
  run(input: Input, control: TaskControl): Output | Promise<Output>;
}

export interface TaskOptions {
  /** A task that keeps much memory in its thread (a model) never runs in the thread for urgent calls. */
  keepsMuch?: boolean;
}

/**
 * Makes a function the task of its module: `export const alignTask = task(import.meta.url, align)`. A module
 * exports one task.
 */
export function task<Input, Output>(
  address: string,
  run: (input: Input, control: TaskControl) => Output | Promise<Output>,
  options: TaskOptions = {},
): ComputeTask<Input, Output> {
  return { address, run, ...options };
}

/**
 * Finds the task that the module at an address exports, without the tasks that it imports; null means none,
 * or more than one.
 */
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
  /** An urgent call gets the next free thread, or at once the extra thread if that is free. */
  urgent?: boolean;
  /** These buffers move to the thread and are not copied. */
  transfer?: ArrayBuffer[];
}

export interface TaskLimit {
  ms: number;
  fault: Error;
}

/**
 * A task function gets its signals, and reports its progress, through this object. `aborted()` is cheap; call
 * it between blocks.
 */
export interface TaskControl {
  aborted(): boolean;
  /**
   * Runs foreign code, which may block the thread and never return. After the limit, the call rejects with
   * `fault`; the thread ends if the code still has not returned a while later.
   */
  bounded<Output>(limit: TaskLimit, work: () => Output | Promise<Output>): Promise<Output>;
  progress(done: number, total: number): void;
  /** Names buffers of the output that move to the caller and are not copied. The task must not keep them. */
  transfer(...buffers: ArrayBuffer[]): void;
}
