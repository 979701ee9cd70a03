import type { AnnotationRecord } from '@kindred/contracts';
import { AnnotationRows, type LoadingSet } from '../store/annotation-load.repository.js';
import type { Database } from '../store/db.js';

/**
 * Fills a set batch by batch. While one batch is copied and committed the next one is gathered; never more than these
 * two are in memory.
 */
export class AnnotationWriter {
  pages = 0;
  readonly #db: Database;
  readonly #set: LoadingSet;
  readonly #pageSize: number;
  #rows: AnnotationRows;
  #committing: Promise<void> = Promise.resolve();

  constructor(db: Database, set: LoadingSet, pageSize: number) {
    this.#db = db;
    this.#set = set;
    this.#pageSize = pageSize;
    this.#rows = new AnnotationRows(set.number);
  }

  /** True when a batch is full and `flush` is due. */
  add(proteinId: number, termId: number, record: AnnotationRecord): boolean {
    this.#rows.add(proteinId, termId, record);
    return this.#rows.count >= this.#pageSize;
  }

  /** Waits for the batch before and sends this one off. */
  async flush(): Promise<void> {
    await this.#committing;
    if (this.#rows.count === 0) return;
    const rows = this.#rows;
    this.#rows = new AnnotationRows(this.#set.number);
    this.pages++;
    this.#committing = rows.commit(this.#db);
    // Its failure is thrown by the next await; without a reader meanwhile it must not end the process.
    this.#committing.catch(() => {});
  }

  async finish(): Promise<void> {
    await this.flush();
    await this.#committing;
  }

  /** Waits until nothing is on its way any more, whatever became of it. */
  async settle(): Promise<void> {
    await this.#committing.catch(() => {});
  }
}
