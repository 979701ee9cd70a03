import type { Rejection } from '@kindred/kernels/formats';

/** At most this many unreadable lines are named. */
const shownFaults = 5;

/**
 * Collects the lines that a reader leaves out of a file, to say how many they are and what is wrong with the
 * first.
 */
export class LeftOutLines {
  readonly #path: string;
  readonly #first: Rejection[] = [];
  #count = 0;

  constructor(path: string) {
    this.#path = path;
  }

  add(rejected: readonly Rejection[]): void {
    this.#count += rejected.length;
    this.#first.push(...rejected.slice(0, shownFaults - this.#first.length));
  }

  /** Null means that nothing is left out. */
  get sentence(): string | null {
    if (this.#count === 0) return null;
    const faults = this.#first.map(
      ({ line, record, reason }) => `\n  line ${line}${record === null ? '' : ` (${record})`}: ${reason}`,
    );
    const among = this.#count > this.#first.length ? ', among them' : '';
    return `${this.#path}: ${this.#count} unreadable lines are left out${among}${faults.join('')}`;
  }
}
