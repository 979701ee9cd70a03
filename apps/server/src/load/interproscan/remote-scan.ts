import { setTimeout as sleep } from 'node:timers/promises';
import { loadSequences } from '../../store/embeddings/embeddings.repository.js';
import {
  intendSubmission,
  markScanned,
  setSubmission,
  type SubmissionRow,
  submissionsOfJob,
} from '../../store/annotations/interproscan.repository.js';
import type { MatchWriter } from '../match-writer.js';
import { matchesOf, type ScanService, stateOf, submit } from './service.js';

export interface RemoteScanOptions {
  service: ScanService;
  writer: MatchWriter;
  interproRelease: string;
  maxRunning: number;
  pollMs: number;
  resubmitUncertain: boolean;
}

/**
 * Scans at the job service, one sequence per remote job. A row is written before each submission and gets the
 * remote id after it, so a restarted job asks for the results of its submissions and submits only the rest. A
 * row without an id may or may not have been submitted before the worker died. Such a sequence is skipped
 * unless the payload says otherwise, because the service cannot find a job by its title.
 */
export class RemoteScan {
  readonly counts = { submitted: 0, resumed: 0, stored: 0, failed: 0, uncertain: 0 };
  readonly uncertain: number[] = [];
  readonly #options: RemoteScanOptions;
  readonly #running: SubmissionRow[] = [];

  constructor(options: RemoteScanOptions) {
    this.#options = options;
  }

  async run(sequenceIds: readonly number[]): Promise<void> {
    const { context } = this.#options.service;
    const waiting = await this.#resume(sequenceIds);
    let done = sequenceIds.length - waiting.length - this.#running.length;
    while (waiting.length > 0 || this.#running.length > 0) {
      context.signal.throwIfAborted();
      while (waiting.length > 0 && this.#running.length < this.#options.maxRunning)
        await this.#submit(waiting.shift() as number);
      done += await this.#look();
      await context.progress(done, sequenceIds.length);
      if (this.#running.length > 0) await sleep(this.#options.pollMs, undefined, { signal: context.signal });
    }
  }

  /**
   * Sorts the submissions of an earlier run of this job, and returns the sequences that are still to be
   * submitted.
   */
  async #resume(sequenceIds: readonly number[]): Promise<number[]> {
    const { context } = this.#options.service;
    const wanted = new Set(sequenceIds);
    const left = (await submissionsOfJob(context.db, context.jobId)).filter((row) =>
      wanted.has(row.sequence_id),
    );
    const known = new Set<number>();
    for (const row of left) {
      if (row.state === 'submitted') {
        known.add(row.sequence_id);
        this.#running.push(row);
        this.counts.resumed++;
      } else if (row.state === 'intended' && !this.#options.resubmitUncertain) {
        known.add(row.sequence_id);
        this.counts.uncertain++;
        this.uncertain.push(row.sequence_id);
      } else if (row.state === 'failed') {
        known.add(row.sequence_id);
        this.counts.failed++;
      }
    }
    if (left.length > 0)
      await context.emit('run_interproscan_batch.resumed', {
        running: this.counts.resumed,
        uncertain: this.counts.uncertain,
      });
    return sequenceIds.filter((id) => !known.has(id));
  }

  async #submit(sequenceId: number): Promise<void> {
    const { service } = this.#options;
    const { db, jobId } = service.context;
    const [row] = await loadSequences(db, [sequenceId], null);
    // A missing row means that the sequence was deleted meanwhile.
    if (row === undefined) return;
    const intent = await intendSubmission(db, { jobId, sequenceId, serviceUrl: service.serviceUrl });
    const remoteId = await submit(service, { title: intent.id, residues: row.sequence });
    await setSubmission(db, intent.id, { state: 'submitted', remote_id: remoteId });
    this.#running.push({ ...intent, remote_id: remoteId, state: 'submitted' });
    this.counts.submitted++;
  }

  /** Stores the results of finished remote jobs, and returns how many ended. */
  async #look(): Promise<number> {
    const before = this.#running.length;
    for (const row of [...this.#running]) {
      if (await this.#take(row)) this.#running.splice(this.#running.indexOf(row), 1);
    }
    return before - this.#running.length;
  }

  async #take(row: SubmissionRow): Promise<boolean> {
    const { service, writer, interproRelease } = this.#options;
    const { db, emit } = service.context;
    const remoteId = row.remote_id as string;
    const state = await stateOf(service, remoteId);
    if (state === 'running') return false;
    if (state !== 'finished') {
      const message = state === 'gone' ? 'the service no longer knows it' : 'the service could not scan it';
      await setSubmission(db, row.id, { state: 'failed', message });
      await emit(
        'run_interproscan_batch.sequence_failed',
        { remote_id: remoteId, sequence_id: row.sequence_id, message },
        'warning',
      );
      this.counts.failed++;
      return true;
    }
    await writer.store(await matchesOf(service, remoteId));
    await markScanned(db, [row.sequence_id], interproRelease);
    await setSubmission(db, row.id, { state: 'stored' });
    this.counts.stored++;
    return true;
  }
}
