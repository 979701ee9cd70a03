import type { AnswerLine } from '@kindred/kernels/answer';

/**
 * Counts the proteins without any probability among their predicted processes and functions. Components never
 * have one.
 */
export class UncalibratedProteins {
  count = 0;
  #protein = '';
  #terms = 0;
  #withProbability = 0;

  async *counted(lines: AsyncIterable<AnswerLine>): AsyncIterable<AnswerLine> {
    for await (const line of lines) {
      if (line.protein !== this.#protein) this.#end();
      this.#protein = line.protein;
      if (line.kind === 'predicted' && line.aspect !== 'C') {
        this.#terms++;
        this.#withProbability += Number(line.probability !== null);
      }
      yield line;
    }
    this.#end();
  }

  #end(): void {
    this.count += Number(this.#terms > 0 && this.#withProbability === 0);
    this.#terms = this.#withProbability = 0;
  }
}

/** Says why proteins have no probabilities, and what would help. */
export function uncalibratedText(count: number): string {
  const subject = count === 1 ? '1 protein has' : `${count} proteins have`;
  return `${subject} no probabilities, so no words of certainty. Either its header names no organism (OX=; --organism says it for all), or the loaded taxonomy lacks the organism (load_taxonomy), or nothing was measured for its kingdom.\n`;
}
