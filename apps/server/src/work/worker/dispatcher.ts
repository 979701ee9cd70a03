import type { QueueName } from '@kindred/contracts';
import { type JobDeps, publishBatches } from '../jobs/publish.js';
import type { FaultLog } from '../../telemetry/fault-log.js';

/**
 * A slot has one batch to compute, one to store, and one waiting, so that a process never runs out of work
 * between two of them.
 */
const placesPerSlot = 3;
const fault = 'batches could not be handed to the broker; the sweeper will try again';

/**
 * Hands waiting batches to the broker when places are free: one round at a time in this process, and on one
 * connection.
 */
export class Dispatcher {
  readonly #wanted = new Set<QueueName>();
  #round: Promise<void> | null = null;
  readonly #deps: JobDeps;
  readonly #concurrency: number;
  readonly #faults: FaultLog;

  constructor(deps: JobDeps, concurrency: number, faults: FaultLog) {
    this.#deps = deps;
    this.#concurrency = concurrency;
    this.#faults = faults;
  }

  /** Callers nudge when a place may have become free, or a batch may wait for one. The call never throws. */
  nudge(queue: QueueName): Promise<void> {
    this.#wanted.add(queue);
    this.#round ??= this.#run();
    return this.#round;
  }

  async idle(): Promise<void> {
    await this.#round;
  }

  async #run(): Promise<void> {
    for (const queue of this.#wanted) {
      this.#wanted.delete(queue);
      try {
        await publishBatches(this.#deps, queue, this.#concurrency * placesPerSlot);
        this.#faults.worked(fault);
      } catch (error) {
        this.#faults.failed(fault, error);
      }
    }
    // The round is reset before returning, so that a later call begins another one.
    this.#round = null;
  }
}
