import { type ChildProcess, spawn } from 'node:child_process';
import { pauseMs, retryPolicy } from '../../ground/retry-policy.js';
import { Liveness } from './liveness.js';
import { RotatingLog } from './rotating-log.js';

/**
 * The first answer may take this long, because a machine that does other work may need a minute to start a
 * process.
 */
const startSeconds = 120;
/** After this uptime, the pauses begin with the first again. */
const healthyAfterMs = 60_000;

export interface SupervisedOptions {
  /** The child gets these arguments to node: the compiled main and its role. */
  args: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  /**
   * Resolves when the process answers. A process that lives but does not answer is ended and started again.
   */
  ask(child: ChildProcess, signal: AbortSignal): Promise<unknown>;
  /** A process that is silent for so many seconds is ended. */
  silenceLimitSeconds: number;
  onRestart(reason: string, pauseMs: number): void;
}

/** Keeps one process of the service alive: restarts it when it ends unexpectedly, with growing pauses. */
export class SupervisedProcess {
  #child: ChildProcess | null = null;
  #stopping = false;
  #ends = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #log: RotatingLog;
  readonly #options: SupervisedOptions;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#log = new RotatingLog(options.logFile);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const startedAt = Date.now();
    // The IPC channel closes with this process, however it ends, and the child then stops by itself.
    const child = spawn(process.execPath, this.#options.args, {
      env: this.#options.env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.#child = child;
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.stdout?.pipe(this.#log, { end: false });
    child.stderr?.pipe(this.#log, { end: false });
    let deafness: string | null = null;
    const liveness = new Liveness({
      ask: (signal) => this.#options.ask(child, signal),
      limitSeconds: this.#options.silenceLimitSeconds,
      startSeconds: Math.max(startSeconds, this.#options.silenceLimitSeconds),
      onDeaf: (seconds) => {
        deafness = `no answer for ${seconds} s`;
        end();
      },
    });
    const ended = (reason: string) => {
      this.#child = null;
      process.off('exit', end);
      liveness.stop();
      if (this.#stopping) return;
      if (Date.now() - startedAt > healthyAfterMs) this.#ends = 0;
      const waitMs = pauseMs(retryPolicy.supervisedProcess.pause, this.#ends++);
      this.#options.onRestart(reason, waitMs);
      this.#timer = setTimeout(() => this.start(), waitMs);
    };
    child.once('exit', (code, signal) => ended(deafness ?? signal ?? `exit code ${code}`));
    // A child without a process id was not started, so no exit event follows.
    child.on('error', (error) => child.pid === undefined && ended(error.message));
  }

  /** Asks the process to end, and kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid !== undefined) {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(force);
    }
    this.#log.end();
  }
}
