import { Worker } from 'node:worker_threads';

/**
 * The code runs in a separate thread, so that neither a blocked event loop nor a statement that never ends
 * stops it. It is plain JavaScript in a string, so it needs no file in the sources or the build.
 */
const threadSource = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const fed = new BigInt64Array(workerData.fed);
setInterval(() => {
  if (process.hrtime.bigint() - Atomics.load(fed, 0) < BigInt(workerData.limitMs) * 1000000n) return;
  try {
    writeSync(2, JSON.stringify({ time: new Date().toISOString(), level: 'fatal', role: 'worker', pid: process.pid,
      message: 'this worker neither renews its leases nor stops their work; it ends at once' }) + '\\n');
  } catch {}
  process.kill(process.pid, 'SIGKILL');
}, Math.max(20, workerData.limitMs / 10));
`;

/**
 * Ends the process with SIGKILL when nobody has called `feed` for `limitMs`; its supervisor then starts
 * another.
 */
export class Watchdog {
  readonly #fed = new BigInt64Array(new SharedArrayBuffer(8));
  readonly #thread: Worker;

  constructor(limitMs: number) {
    this.feed();
    this.#thread = new Worker(threadSource, {
      eval: true,
      execArgv: [],
      workerData: { fed: this.#fed.buffer, limitMs },
    });
    this.#thread.unref();
  }

  feed(): void {
    Atomics.store(this.#fed, 0, process.hrtime.bigint());
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
