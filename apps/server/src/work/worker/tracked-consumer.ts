import { setTimeout as sleep } from 'node:timers/promises';
import { type TrackedQueue, trackedMessage } from '@kindred/contracts';
import type { Consumer, Delivery, Settlement } from '../broker/broker.js';
import { claimJob } from '../../store/jobs/job-transitions.repository.js';
import type { JobRow } from '../../store/jobs/jobs.repository.js';
import { loggingFailure } from './failure.js';
import { runClaimedJob } from './run-job.js';
import type { WorkerRuntime } from './runtime.js';
import { forRequestOf } from '../../telemetry/request-id.js';
import { inMessageSpan } from './tracing.js';

/** A delivery waits this long for a free slot before this worker leaves the queue to others. */
const slotPatienceMs = 250;

/**
 * Takes jobs from one tracked queue: claims, acknowledges, runs. The acknowledgement comes at the claim, not
 * at the end of the job, so the broker does not limit how many run. When all slots are taken, the consumer
 * leaves the queue until one is free, so that other workers get the waiting messages.
 */
export class TrackedConsumer {
  readonly #running = new Set<Promise<void>>();
  readonly #slotWaiters = new Set<() => void>();
  #taken = 0;
  #overflowing = false;
  #stopping = false;
  #consumer: Consumer | null = null;
  #turn: Promise<void> = Promise.resolve();
  readonly #runtime: WorkerRuntime;
  readonly #queue: TrackedQueue;
  readonly #concurrency: number;

  constructor(runtime: WorkerRuntime, queue: TrackedQueue, concurrency: number) {
    this.#runtime = runtime;
    this.#queue = queue;
    this.#concurrency = concurrency;
  }

  async start(): Promise<void> {
    this.#consumer = await this.#subscribe();
  }

  /**
   * Takes no more deliveries; resolves when no delivery is being handled. Running jobs continue: see `idle`.
   */
  async stopTaking(): Promise<void> {
    this.#stopping = true;
    this.#wakeWaiters();
    await this.#turn;
    await this.#consumer?.stop(1000);
    this.#consumer = null;
  }

  /** Resolves when no job of this queue is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #subscribe(): Promise<Consumer> {
    return this.#runtime.broker.consume(this.#queue, this.#concurrency, (delivery) =>
      forRequestOf(delivery.headers, () => loggingFailure(this.#runtime, this.#queue, this.#take(delivery))),
    );
  }

  async #take(delivery: Delivery): Promise<Settlement> {
    const jobId = readJobId(delivery);
    if (jobId === null) {
      this.#runtime.log.warn({ queue: this.#queue }, 'a message without a job id was rejected');
      return 'reject';
    }
    if (!(await this.#takeSlot())) {
      if (!this.#stopping) this.#leaveQueue();
      return 'requeue';
    }
    let job: JobRow | undefined;
    try {
      const { services, owner, settings } = this.#runtime;
      job = await claimJob(services.db, jobId, owner, settings.leaseSeconds);
      // The job was run, cancelled or deleted; a dead letter would only hide others that someone must look
      // at.
      if (!job) return 'ack';
    } finally {
      if (!job) this.#freeSlot();
    }
    this.#run(job, delivery.headers);
    return 'ack';
  }

  #run(job: JobRow, headers: Record<string, string>): void {
    const attributes = { 'kindred.job_id': job.id, 'messaging.destination.name': this.#queue };
    const running = inMessageSpan(`job ${job.operation}`, headers, attributes, () =>
      runClaimedJob(this.#runtime, job),
    ).finally(() => {
      this.#running.delete(running);
      this.#freeSlot();
    });
    this.#running.add(running);
  }

  async #takeSlot(): Promise<boolean> {
    const deadline = Date.now() + slotPatienceMs;
    while (this.#taken >= this.#concurrency) {
      const left = deadline - Date.now();
      if (left <= 0 || this.#stopping) return false;
      await this.#nextFreeSlot(left);
    }
    if (this.#stopping) return false;
    this.#taken++;
    return true;
  }

  #nextFreeSlot(patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#slotWaiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, patienceMs);
      this.#slotWaiters.add(done);
    });
  }

  #freeSlot(): void {
    this.#taken--;
    this.#wakeWaiters();
    if (this.#overflowing) {
      this.#overflowing = false;
      this.#turn = this.#turn.then(() => this.#rejoin());
    }
  }

  #wakeWaiters(): void {
    for (const wake of [...this.#slotWaiters]) wake();
  }

  #leaveQueue(): void {
    if (this.#overflowing) return;
    this.#overflowing = true;
    this.#turn = this.#turn.then(async () => {
      const consumer = this.#consumer;
      this.#consumer = null;
      await consumer?.stop(1000).catch(() => {});
    });
  }

  async #rejoin(): Promise<void> {
    while (!this.#stopping && !this.#overflowing && this.#consumer === null) {
      try {
        this.#consumer = await this.#subscribe();
      } catch (error) {
        this.#runtime.log.warn(
          { err: error, queue: this.#queue },
          'the queue could not be joined again; retrying',
        );
        await sleep(1000);
      }
    }
  }
}

function readJobId(delivery: Delivery): string | null {
  try {
    return trackedMessage.parse(JSON.parse(Buffer.from(delivery.body).toString())).job_id;
  } catch {
    return null;
  }
}
