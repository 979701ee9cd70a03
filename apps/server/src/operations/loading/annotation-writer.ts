import type { AnnotationRecord } from '@kindred/contracts';
import { AnnotationRows, type LoadingSet } from '../../store/annotations/annotation-load.repository.js';
import type { Transaction } from '../../store/postgres/db.js';

/** Batches that may wait for the one that is being copied: enough that neither side stands still, about 1 MB each. */
const maxWaiting = 3;

/** Fills a set batch by batch, one commit each. While one batch is copied the next ones are gathered. */
export class AnnotationWriter {
  pages = 0;
  readonly #connection: Pick<Transaction, 'client'>;
  readonly #set: LoadingSet;
  readonly #pageSize: number;
  #rows: AnnotationRows;
  /** Commits that are not known to be done, oldest first; each begins after the one before it succeeded. */
  readonly #commits: Promise<void>[] = [];

  constructor(connection: Pick<Transaction, 'client'>, set: LoadingSet, pageSize: number) {
    this.#connection = connection;
    this.#set = set;
    this.#pageSize = pageSize;
    this.#rows = new AnnotationRows(set.number);
  }

  /** True when a batch is full and `flush` is due. */
  add(proteinId: number, termId: number, record: AnnotationRecord): boolean {
    this.#rows.add(proteinId, termId, record);
    return this.#rows.count >= this.#pageSize;
  }

  /** Sends the batch off; waits where too many are on their way. */
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
    // Its failure is thrown where it is awaited; until then it must not end the process.
    commit.catch(() => {});
    this.#commits.push(commit);
  }

  async finish(): Promise<void> {
    await this.flush();
    await Promise.all(this.#commits.splice(0));
  }

  /** Waits until nothing is on its way any more, whatever became of it. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#commits.splice(0));
  }
}
