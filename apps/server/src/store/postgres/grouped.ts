import { yieldToEventLoop } from '../../ground/event-loop.js';
import type { Queryable } from './connection.js';
import { connectionFaultOf } from './connection-fault.js';

/** One statement takes at most this many calls. */
const groupLimit = 128;

interface Call<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes one statement of many calls: those that come while the statement of earlier ones runs go together
 * with the next one. So a busy process pays for one commit instead of a hundred, and a lone call waits for
 * nobody. A call still resolves after the commit of its statement. A statement that fails because of one of
 * its items is repeated for each of them alone. Inside a transaction, each call is a separate statement.
 *
 * @param write gives the results in the order of the items; it must be one statement, or one transaction, or
 * change nothing
 * @param kindOf lets only items of one kind go together
 */
export function grouped<Item, Result>(
  write: (db: Queryable, items: readonly Item[]) => Promise<Result[]>,
  kindOf: (item: Item) => string = () => '',
): (db: Queryable, item: Item) => Promise<Result> {
  const queues = new WeakMap<Queryable, Map<string, Call<Item, Result>[]>>();

  async function settle(db: Queryable, calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await write(
        db,
        calls.map((call) => call.item),
      );
      for (const [index, call] of calls.entries()) call.resolve(results[index]);
    } catch (error) {
      const fault = connectionFaultOf(error);
      // On a lost connection nobody knows whether the statement was committed, so each caller decides for
      // itself.
      if (calls.length === 1 || (fault !== null && fault !== 'contended')) {
        for (const call of calls) call.reject(error);
        return;
      }
      for (const call of calls) await settle(db, [call]);
    }
  }

  async function drain(db: Queryable, kind: string, queue: Call<Item, Result>[]): Promise<void> {
    // One turn of the event loop gathers the calls that come together.
    await yieldToEventLoop();
    while (queue.length > 0) await settle(db, queue.splice(0, groupLimit));
    queues.get(db)?.delete(kind);
  }

  return (db, item) => {
    if ('client' in db) return write(db, [item]).then(([result]) => result);
    return new Promise((resolve, reject) => {
      const kinds = queues.get(db) ?? new Map<string, Call<Item, Result>[]>();
      queues.set(db, kinds);
      const kind = kindOf(item);
      const queue = kinds.get(kind);
      if (queue !== undefined) {
        queue.push({ item, resolve, reject });
        return;
      }
      const first = [{ item, resolve, reject }];
      kinds.set(kind, first);
      void drain(db, kind, first);
    });
  };
}
