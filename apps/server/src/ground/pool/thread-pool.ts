import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { loadNative } from '@kindred/native';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import type { ComputePool, ComputeTask, RunOptions } from './pool.js';
import {
  receiveError,
  type SentError,
  type TaskReply,
  type TaskRequest,
  type ThreadData,
} from './thread-messages.js';

/** The thread died during a task (a crash in native code, `process.exit`, lack of memory). */
export class ComputeThreadLost extends Error {
  readonly code: string;
  constructor(reason: string, code = 'ERR_COMPUTE_THREAD_LOST') {
    super(`the compute thread was lost: ${reason}`);
    this.name = 'ComputeThreadLost';
    this.code = code;
  }
}

interface Call {
  request: TaskRequest;
  options: RunOptions;
  /** The task may run in the thread for urgent calls. */
  beside: boolean;
  resolve(output: unknown): void;
  reject(error: unknown): void;
  /** Detaches the listener on the caller's signal, and ends the limit. */
  release(): void;
  /** The timer belongs to the limit that the task has set itself. */
  limit: NodeJS.Timeout | undefined;
}
interface Thread {
  worker: Worker;
  call: Call | null;
  /**
   * This thread serves urgent calls only and runs beside the others; the system shares the processor between
   * them.
   */
  beside: boolean;
}

/**
 * Threads run compiled JavaScript. When the service runs from its sources (tests), the modules under dist/
 * are loaded.
 */
function compiledUrl(address: string): string {
  return address.replace(/\/apps\/server\/src\/(.*)\.ts$/, '/apps/server/dist/$1.js');
}

export interface ComputePoolOptions {
  /** SVC_COMPUTE_THREADS sets the number of threads; without it, each core has one. */
  size?: number;
  /** Plugins in the threads read their settings from these sources. */
  plugins?: PluginInputs;
  /** Tests search plugins in these folders. */
  pluginFolders?: readonly string[];
  /** SVC_NATIVE_KERNELS chooses the kernels. @default on */
  native?: string;
  /** A thread may continue a task that nobody waits for, for this long. Default: 15 s; tests set less. */
  abandonMs?: number;
  /**
   * The pool has a thread for urgent calls. By default, it has one if native kernels map the banks, because
   * the thread then needs little memory.
   */
  besideThread?: boolean;
}

const threadAddress = import.meta.url.replace(/thread-pool(\.[jt]s)$/, 'thread$1');
const abandonMs = 15_000;
/**
 * V8 gets half of its usual young generation: what tasks keep is in typed arrays outside, and a proteome then
 * takes 40 MB less at the same speed.
 */
const youngMb = 24;

export function createComputePool(options: ComputePoolOptions = {}): ComputePool {
  const { size = availableParallelism() } = options;
  return new ThreadPool(Math.max(1, size), options);
}

class ThreadPool implements ComputePool {
  readonly #threads = new Set<Thread>();
  readonly #waiting: Call[] = [];
  #closed = false;

  readonly #threadData: ThreadData;
  readonly #abandonMs: number;
  #hasBeside: boolean | undefined;

  constructor(
    readonly size: number,
    options: ComputePoolOptions,
  ) {
    this.#abandonMs = options.abandonMs ?? abandonMs;
    this.#threadData = {
      plugins: options.plugins,
      pluginFolders: options.pluginFolders,
      native: options.native,
    };
    this.#hasBeside = options.besideThread;
  }

  run<Input, Output>(
    task: ComputeTask<Input, Output>,
    input: Input,
    options: RunOptions = {},
  ): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('the compute pool is closed');
      options.signal?.throwIfAborted();
      const request: TaskRequest = {
        url: compiledUrl(task.address),
        input,
        abortFlag: new SharedArrayBuffer(4),
        reportProgress: options.progress !== undefined,
      };
      const onAbort = () => this.#abandon(call, options.signal?.reason);
      const call: Call = {
        request,
        options,
        beside: options.urgent === true && task.keepsMuch !== true,
        resolve: resolve as (output: unknown) => void,
        reject,
        release: () => {
          clearTimeout(call.limit);
          options.signal?.removeEventListener('abort', onAbort);
        },
        limit: undefined,
      };
      options.signal?.addEventListener('abort', onAbort);
      const urgent = this.#waiting.filter((waiting) => waiting.options.urgent).length;
      this.#waiting.splice(options.urgent ? urgent : this.#waiting.length, 0, call);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#waiting.splice(0)) this.#settle(call, new Error('the compute pool was closed'));
    await Promise.all([...this.#threads].map((thread) => thread.worker.terminate()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const usual = this.#freeThread(false);
      const place = usual ? 0 : this.#waiting.findIndex(({ beside }) => beside);
      const thread = usual ?? (place >= 0 && this.#mayRunBeside() ? this.#freeThread(true) : null);
      if (!thread) return;
      const [call] = this.#waiting.splice(place, 1);
      thread.call = call;
      thread.worker.ref();
      try {
        thread.worker.postMessage(call.request, call.options.transfer ?? []);
      } catch (error) {
        // The caller gave an input that cannot be cloned. The thread stays free.
        this.#settle(call, error);
        this.#free(thread);
      }
    }
  }

  #mayRunBeside(): boolean {
    this.#hasBeside ??= loadNative({ use: this.#threadData.native }) !== null;
    return this.#hasBeside;
  }

  /** Gives a waiting thread, or starts a new one if one of this kind is missing. */
  #freeThread(beside: boolean): Thread | null {
    const own = [...this.#threads].filter((thread) => thread.beside === beside);
    const free = own.find(({ call }) => call === null);
    return free ?? (own.length < (beside ? 1 : this.size) ? this.#addThread(beside) : null);
  }

  #addThread(beside: boolean): Thread {
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb };
    const worker = new Worker(new URL(compiledUrl(threadAddress)), {
      workerData: this.#threadData,
      resourceLimits,
    });
    const thread: Thread = { worker, call: null, beside };
    this.#threads.add(thread);
    worker.on('message', (reply: TaskReply) => this.#receive(thread, reply));
    worker.on('error', (error: NodeJS.ErrnoException) => this.#lose(thread, error.message, error.code));
    worker.on('exit', (code) => this.#lose(thread, `it ended with code ${code}`));
    return thread;
  }

  #receive(thread: Thread, reply: TaskReply): void {
    const { call } = thread;
    if (!call) return;
    if (reply.kind === 'progress') {
      if (!call.options.signal?.aborted) call.options.progress?.(reply.done, reply.total);
      return;
    }
    if (reply.kind === 'limit') {
      this.#setLimit(call, reply.limit);
      return;
    }
    call.release();
    if (reply.kind === 'output') call.resolve(reply.output);
    else call.reject(receiveError(reply.error));
    this.#free(thread);
  }

  #setLimit(call: Call, limit: { ms: number; fault: SentError } | null): void {
    clearTimeout(call.limit);
    // A task whose caller has gone is ended anyway.
    if (limit === null || Atomics.load(new Int32Array(call.request.abortFlag), 0) !== 0) return;
    call.limit = setTimeout(() => this.#abandon(call, receiveError(limit.fault)), limit.ms).unref();
  }

  #free(thread: Thread): void {
    thread.call = null;
    // An idle thread does not keep the process alive.
    thread.worker.unref();
    this.#dispatch();
  }

  #lose(thread: Thread, reason: string, code?: string): void {
    if (!this.#threads.delete(thread)) return;
    if (thread.call) this.#settle(thread.call, new ComputeThreadLost(reason, code));
    thread.call = null;
    void thread.worker.terminate();
    if (!this.#closed) this.#dispatch();
  }

  #endIfStillAt(thread: Thread, call: Call): void {
    if (thread.call === call) this.#lose(thread, 'it did not stop its task');
  }

  #settle(call: Call, error: unknown): void {
    call.release();
    call.reject(error);
  }

  /**
   * The caller continues at once. The working thread stops at its next check of the flag, or is ended after a
   * while.
   */
  #abandon(call: Call, reason: unknown): void {
    Atomics.store(new Int32Array(call.request.abortFlag), 0, 1);
    const thread = [...this.#threads].find((candidate) => candidate.call === call);
    if (thread) setTimeout(() => this.#endIfStillAt(thread, call), this.#abandonMs).unref();
    const position = this.#waiting.indexOf(call);
    if (position >= 0) this.#waiting.splice(position, 1);
    this.#settle(call, reason);
  }
}
