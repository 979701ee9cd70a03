import { buryMessages, deleteMessages, releaseMessages } from '../../store/jobs/broker.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { withRetries } from '../../store/postgres/connection-fault.js';
import type { Settlement } from './broker.js';
import type { BrokerOptions } from './deliveries.js';
import { retryPolicy } from '../../ground/retry-policy.js';
import { yieldToEventLoop } from '../../ground/event-loop.js';

const writers = { ack: deleteMessages, reject: buryMessages, requeue: releaseMessages };

/** Writes settlements in groups: those that come while a statement runs go with the next one. */
export class Settlements {
  readonly #db: Database;
  readonly #owner: string;
  readonly #held: Set<number>;
  readonly #options: BrokerOptions;
  readonly #waiting: Record<Settlement, number[]> = { ack: [], reject: [], requeue: [] };
  #writing: Promise<void> | null = null;

  /** @param held ids of messages in work; a settled one is removed */
  constructor(db: Database, owner: string, { held, options }: { held: Set<number>; options: BrokerOptions }) {
    this.#db = db;
    this.#owner = owner;
    this.#held = held;
    this.#options = options;
  }

  add(settlement: Settlement, id: number): void {
    this.#waiting[settlement].push(id);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything that was added is written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // One turn of the event loop gathers the deliveries that settle together.
    await yieldToEventLoop();
    for (let kind = this.#next(); kind !== undefined; kind = this.#next()) {
      const ids = this.#waiting[kind].splice(0);
      const write = writers[kind];
      await withRetries(() => write(this.#db, this.#owner, ids), retryPolicy.settlement).catch(
        (error: Error) => this.#options.onFault?.(error, `settling ${ids.length} deliveries as ${kind}`),
      );
      for (const id of ids) this.#held.delete(id);
    }
    this.#writing = null;
  }

  #next(): Settlement | undefined {
    return (Object.keys(this.#waiting) as Settlement[]).find((kind) => this.#waiting[kind].length > 0);
  }
}
