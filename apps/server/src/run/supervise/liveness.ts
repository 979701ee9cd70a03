const tickMs = 1000;
const askEverySeconds = 5;

export interface LivenessOptions {
  /** Resolves when the process answers. The question is repeated after an answer or a failure. */
  ask(signal: AbortSignal): Promise<unknown>;
  /**
   * After so many seconds without an answer, the process is deaf: `limitSeconds` for a process that has
   * answered, `startSeconds` for one that is starting.
   */
  limitSeconds: number;
  startSeconds: number;
  onDeaf(seconds: number): void;
}

/**
 * Finds a process that lives and does nothing: frozen, or busy with something that never ends. Only seconds
 * in which this process itself waits count, so that a machine that slept does not make its processes deaf.
 */
export class Liveness {
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #options: LivenessOptions;
  #silentSeconds = 0;
  #hasAnswered = false;
  #asking = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#over.abort();
  }

  #tick(): void {
    this.#silentSeconds += 1;
    const { limitSeconds, startSeconds, onDeaf } = this.#options;
    if (this.#silentSeconds >= (this.#hasAnswered ? limitSeconds : startSeconds)) {
      this.stop();
      onDeaf(this.#silentSeconds);
    } else if (!this.#asking && (!this.#hasAnswered || this.#silentSeconds >= askEverySeconds)) {
      void this.#ask();
    }
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    try {
      await this.#options.ask(this.#over.signal);
      this.#hasAnswered = true;
      this.#silentSeconds = 0;
    } catch {
      // The process is asked again at the next tick.
    } finally {
      this.#asking = false;
    }
  }
}
