import type { AnswerLine } from '@kindred/kernels/answer';

/** Collects what a reader must know of probabilities: how many proteins have none, and what the others are the rate of. */
export class ProbabilityNotes {
  /** Counts the proteins without any probability among their predicted processes and functions. */
  uncalibrated = 0;
  /** True if a probability says how often databases hold such a term. */
  areHeld = false;
  #protein = '';
  #terms = 0;
  #withProbability = 0;

  async *counted(lines: AsyncIterable<AnswerLine>): AsyncIterable<AnswerLine> {
    for await (const line of lines) {
      if (line.protein !== this.#protein) this.#end();
      this.#protein = line.protein;
      this.areHeld ||= line.probability_meaning === 'held by the databases';
      if (line.kind === 'predicted' && line.aspect !== 'C') {
        this.#terms++;
        this.#withProbability += Number(line.probability !== null);
      }
      yield line;
    }
    this.#end();
  }

  #end(): void {
    this.uncalibrated += Number(this.#terms > 0 && this.#withProbability === 0);
    this.#terms = this.#withProbability = 0;
  }
}

/** Says what percentages mean that are no rate of experiments. */
export const heldText =
  'The percentages say how often the databases hold such a term for the protein, by any evidence (probability_meaning in the file); no experiment yet is not the same as wrong.\n';

/** Says why proteins have no probabilities, and what would help. */
export function uncalibratedText(count: number): string {
  const subject = count === 1 ? '1 protein has' : `${count} proteins have`;
  return `${subject} no probabilities, so no words of certainty. Either its header names no organism (OX=; --organism says it for all), or the loaded taxonomy lacks the organism (load_taxonomy), or nothing was measured for its kingdom, or with hits of another program (--hits) among its relatives.\n`;
}
