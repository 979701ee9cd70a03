import { ProblemError } from '@kindred/contracts';

/**
 * So many event streams may be open at the same time: for one account (or address without an account), and
 * for all together in this process.
 */
const defaultLimits = { ofCaller: 20, ofProcess: 500 };
const retryAfterSeconds = 30;

/** Counts open event streams, because each of them reads the database once a second. */
export class OpenStreams {
  readonly #limits: typeof defaultLimits;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(limits: Partial<typeof defaultLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /**
   * Counts one more stream of the caller until the returned function is called.
   * @throws ProblemError rate_limited
   */
  open(caller: string): () => void {
    const { ofCaller, ofProcess } = this.#limits;
    const open = this.#open.get(caller) ?? 0;
    if (open >= ofCaller)
      throw tooMany(`You have ${ofCaller} event streams open, and more are not served. Close one`);
    if (this.#all >= ofProcess)
      throw tooMany(`The service has ${ofProcess} event streams open, and more are not served. Try later`);
    this.#open.set(caller, open + 1);
    this.#all++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#all--;
      const left = (this.#open.get(caller) ?? 1) - 1;
      if (left === 0) this.#open.delete(caller);
      else this.#open.set(caller, left);
    };
  }
}

function tooMany(sentence: string): ProblemError {
  return new ProblemError('rate_limited', `${sentence}, or ask for the events as JSON.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
