import type { EvaluationNamespace } from './evaluation-ontology.js';
import { LineScanner, splitColumns, textOf } from './lines.js';
import { EvaluationInputError } from './options.js';
import { parseScore } from './score-text.js';

export interface TermWeights {
  /** Canonical id -> information accretion in bits. */
  weights: Map<string, number>;
  lines: number;
}

/**
 * Reads information accretion: term and value per line, further columns ignored, empty lines and one header line
 * (a first line whose value is no number) passed over. NaN and infinities become 0.
 */
export class TermWeightReader {
  private readonly weights = new Map<string, number>();
  private readonly bounds = new Int32Array(4);
  private lines = 0;
  private readonly scanner = new LineScanner((bytes, start, end, line) =>
    this.onLine(bytes, start, end, line),
  );

  /** @throws EvaluationInputError for a line without a number */
  push(chunk: Uint8Array): void {
    this.scanner.push(chunk);
  }

  end(): TermWeights {
    this.scanner.end();
    return { weights: this.weights, lines: this.lines };
  }

  private onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    const columns = splitColumns(bytes, start, end, this.bounds);
    if (columns === 0) return;
    const value = columns < 2 ? undefined : parseScore(bytes, this.bounds[2], this.bounds[3]);
    if (value === undefined) {
      if (line === 1 && columns >= 2) return;
      const text = textOf(bytes, start, end).trim();
      throw new EvaluationInputError(
        `"${text}": expected a term and its information accretion, a number`,
        line,
      );
    }
    this.lines++;
    this.weights.set(textOf(bytes, this.bounds[0], this.bounds[1]), Number.isFinite(value) ? value : 0);
  }
}

/** Reads term ids, the first column of each line (terms of interest). */
export class TermListReader {
  private readonly ids = new Set<string>();
  private readonly bounds = new Int32Array(2);
  private readonly scanner = new LineScanner((bytes, start, end) => {
    if (splitColumns(bytes, start, end, this.bounds) > 0)
      this.ids.add(textOf(bytes, this.bounds[0], this.bounds[1]));
  });

  push(chunk: Uint8Array): void {
    this.scanner.push(chunk);
  }

  end(): Set<string> {
    this.scanner.end();
    return this.ids;
  }
}

/** Terms of a namespace that a list names, by canonical or alternative id: 1 or 0 per term. */
export function listedTerms(namespace: EvaluationNamespace, ids: Iterable<string>): Uint8Array {
  const listed = new Uint8Array(namespace.termIds.length);
  for (const id of ids) {
    const term = namespace.numberOf.get(id);
    if (term !== undefined) listed[term] = 1;
    for (const other of namespace.alternatives.get(id) ?? []) listed[other] = 1;
  }
  return listed;
}
