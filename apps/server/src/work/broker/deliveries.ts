import { setTimeout as sleep } from 'node:timers/promises';
import { pauseMs, retryPolicy } from '../../ground/retry-policy.js';
import type { BrokerQueue, Delivery, Settlement } from './broker.js';

export type Handler = (delivery: Delivery, signal: AbortSignal) => Promise<Settlement>;

export interface BrokerOptions {
  /**
   * The function learns of handlers that threw and of lost connections. It need not act, because the broker
   * recovers by itself.
   */
  onFault?: (error: Error, about: string) => void;
  /** A publish waits this long for an unreachable server. The default is in retry-policy.ts. */
  publishTimeoutMs?: number;
  /**
   * A delivery whose handler threw goes back to the queue after this pause, which the signal ends early;
   * tests set it.
   */
  rest?: (signal: AbortSignal) => Promise<void>;
}

const restOfPolicy = (signal: AbortSignal) =>
  sleep(pauseMs(retryPolicy.delivery.pause, 0), undefined, { signal }).catch(() => {});

export const sendLimitMs = ({ publishTimeoutMs }: BrokerOptions) =>
  publishTimeoutMs ?? 1000 * retryPolicy.sentMessage.withinSeconds;

/** Adds up by queue what consumers hold. */
export function heldByQueue(
  consumers: Iterable<{ readonly queue: BrokerQueue; readonly held: number }>,
): Partial<Record<BrokerQueue, number>> {
  const sums: Partial<Record<BrokerQueue, number>> = {};
  for (const { queue, held } of consumers) if (held > 0) sums[queue] = (sums[queue] ?? 0) + held;
  return sums;
}

interface Unit {
  settle: (settlement: Settlement) => void;
  abort: AbortController;
  done: Promise<void>;
}

/** Holds the deliveries of one consumer that are in work; each is settled exactly once. */
export class Deliveries {
  readonly #units = new Set<Unit>();
  readonly #handler: Handler;
  readonly #options: BrokerOptions;
  readonly #onFree: () => void;

  /** `onFree` is called after each settlement, because another delivery now has room. */
  constructor(handler: Handler, options: BrokerOptions, onFree: () => void) {
    this.#handler = handler;
    this.#options = options;
    this.#onFree = onFree;
  }

  get size(): number {
    return this.#units.size;
  }

  start(delivery: Delivery, settle: (settlement: Settlement) => void): void {
    const unit: Unit = { settle, abort: new AbortController(), done: Promise.resolve() };
    this.#units.add(unit);
    unit.done = this.#handle(delivery, unit).then((settlement) => this.#settle(unit, settlement));
  }

  /** Waits for the handlers, at most `graceMs`; then aborts the rest and gives their deliveries back. */
  async drain(graceMs: number): Promise<void> {
    const patience = new AbortController();
    const grace = sleep(graceMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([Promise.all([...this.#units].map((unit) => unit.done)), grace]);
    patience.abort();
    for (const unit of this.#units) {
      unit.abort.abort(new Error('the worker stops'));
      this.#settle(unit, 'requeue');
    }
  }

  #settle(unit: Unit, settlement: Settlement): void {
    if (!this.#units.delete(unit)) return;
    unit.settle(settlement);
    this.#onFree();
  }

  async #handle(delivery: Delivery, unit: Unit): Promise<Settlement> {
    try {
      return await this.#handler(delivery, unit.abort.signal);
    } catch (error) {
      this.#options.onFault?.(error as Error, `handler of ${delivery.queue}`);
      await (this.#options.rest ?? restOfPolicy)(unit.abort.signal);
      return 'requeue';
    }
  }
}
