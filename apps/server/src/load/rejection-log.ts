import { ProblemError, type RejectedLine } from '@kindred/contracts';
import type { OperationContext } from '../work/operation/operation.js';

const maxReported = 50;

/** Counts unusable lines and reports the first ones on the job's timeline, with line number and reason. */
export class RejectionLog {
  total = 0;
  first: RejectedLine | null = null;
  readonly #context: OperationContext;
  readonly #event: string;
  readonly #onBadLine: 'skip' | 'fail';
  #reported = 0;

  constructor(context: OperationContext, event: string, onBadLine: 'skip' | 'fail') {
    this.#context = context;
    this.#event = event;
    this.#onBadLine = onBadLine;
  }

  /** @throws ProblemError bad_file on the first line, if a bad line fails the load */
  async add(rejected: readonly RejectedLine[]): Promise<void> {
    if (rejected.length === 0) return;
    this.first ??= rejected[0];
    this.total += rejected.length;
    if (this.#onBadLine === 'fail') {
      const { line, reason } = rejected[0];
      throw new ProblemError('bad_file', `Line ${line}: ${reason}.`);
    }
    const examples = rejected.slice(0, maxReported - this.#reported);
    if (examples.length === 0) return;
    this.#reported += examples.length;
    const lines = examples.map(({ line, reason }) => ({ line, reason }));
    await this.#context.emit(
      this.#event,
      { lines, total: this.total, reported_at_most: maxReported },
      'warning',
    );
  }
}
