import type { AnnotationRecord } from '@kindred/contracts';
import { AnnotationRows, type LoadingSet } from '../store/annotations/annotation-load.repository.js';
import type { Transaction } from '../store/postgres/db.js';

/**
 * This many batches (about 1 MB each) may wait for the one that is being copied: enough to keep both sides
 * busy.
 */
const maxWaiting = 3;

/** Fills a set batch by batch, with one commit each. The next batches are collected while one is copied. */
export class AnnotationWriter {
  pages = 0;
  readonly #connection: Pick<Transaction, 'client'>;
  readonly #set: LoadingSet;
  readonly #pageSize: number;
  #rows: AnnotationRows;
  /** The oldest pending commit comes first. Each starts after the previous one succeeded. */
  readonly #commits: Promise<void>[] = [];

  constructor(connection: Pick<Transaction, 'client'>, set: LoadingSet, pageSize: number) {
    this.#connection = connection;
    this.#set = set;
    this.#pageSize = pageSize;
    this.#rows = new AnnotationRows(set.number);
  }

  /** The result is true when a batch is full and `flush` is due. */
  add(proteinId: number, termId: number, record: AnnotationRecord): boolean {
    this.#rows.add(proteinId, termId, record);
    return this.#rows.count >= this.#pageSize;
  }

  /** Starts the commit of the batch; waits if too many are pending. */
  async flush(): Promise<void> {
    if (this.#rows.count > 0) this.#send();
    while (this.#commits.length > maxWaiting) {
      await this.#commits.shift();
    }
  }

  #send(): void {
    const rows = this.#rows;
    this.#rows = new AnnotationRows(this.#set.number);
    this.pages++;
    const before = this.#commits.at(-1) ?? Promise.resolve();
    const commit = before.then(() => rows.commit(this.#connection));
    // The empty handler avoids an unhandledRejection; the error surfaces at the await.
    commit.catch(() => {});
    this.#commits.push(commit);
  }

  async finish(): Promise<void> {
    await this.flush();
    await Promise.all(this.#commits.splice(0));
  }

  /** Waits until no commit is pending, even if one failed. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#commits.splice(0));
  }
}
