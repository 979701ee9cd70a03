import type { OntologyGraph, TermRows } from '../ontology/index.js';
import { closeDate } from './dated-closure.js';
import {
  type Holdout,
  type HoldoutCategory,
  type HoldoutInput,
  holdoutCategories,
  type ProteinTerms,
} from './types.js';

/**
 * Finds the terms that proteins gained between two dates. Both dates are propagated over is_a and part_of within each aspect of the same
 * graph before the difference is computed, so a merged, renamed or more general id is not a gain. For each protein and aspect with a
 * gain:
 *
 * | before the first date            | category |
 * |----------------------------------|----------|
 * | no term in any aspect            | NK       |
 * | terms, but none in this aspect   | LK       |
 * | terms in this aspect             | PK       |
 *
 * Roots are ignored: they count neither as knowledge nor as gain. Each date uses its own NOT entries (see `closeDate`).
 * The cost is that of both closures, plus the proteins.
 *
 * @throws RangeError for a protein number out of range, or columns of different lengths
 * @cite Jiang2016CAFA2
 */
export function temporalHoldout(input: HoldoutInput): Holdout {
  const { graph, proteinCount, uninformative } = input;
  const before = closeDate(graph, proteinCount, input.before);
  const after = closeDate(graph, proteinCount, input.after);
  const truth = { NK: new Pairs(), LK: new Pairs(), PK: new Pairs() };
  const known = new Pairs();
  const uninformativeOnly: Record<HoldoutCategory, number> = { NK: 0, LK: 0, PK: 0 };
  for (let protein = 0; protein < proteinCount; protein++) {
    const had = termsOf(before.rows, protein);
    const gains = byAspect(graph, difference(termsOf(after.rows, protein), had));
    let isTarget = false;
    for (const [aspect, gained] of gains) {
      const category = categoryOf(graph, had, aspect);
      if (uninformative && gained.every((term) => uninformative.has(term))) {
        uninformativeOnly[category]++;
        continue;
      }
      for (const term of gained) truth[category].add(protein, term);
      isTarget = true;
    }
    if (isTarget) for (const term of had) known.add(protein, term);
  }
  const sorted = holdoutCategories.map((category) => [category, truth[category].sorted()] as const);
  return {
    truth: Object.fromEntries(sorted) as Record<HoldoutCategory, ProteinTerms>,
    known: known.sorted(),
    counts: { before: before.counts, after: after.counts, uninformativeOnly },
  };
}

function categoryOf(graph: OntologyGraph, had: Int32Array, aspect: unknown): HoldoutCategory {
  if (had.length === 0) return 'NK';
  return had.some((term) => graph.aspects[term] === aspect) ? 'PK' : 'LK';
}

function termsOf({ start, terms }: TermRows, row: number): Int32Array {
  return terms.subarray(start[row], start[row + 1]);
}

/** Returns the members of `from` that are not in `without`; both are ascending. */
function difference(from: Int32Array, without: Int32Array): number[] {
  const left: number[] = [];
  let at = 0;
  for (const term of from) {
    while (at < without.length && without[at] < term) at++;
    if (at === without.length || without[at] !== term) left.push(term);
  }
  return left;
}

function byAspect({ aspects }: OntologyGraph, terms: readonly number[]): Map<unknown, number[]> {
  const parts = new Map<unknown, number[]>();
  for (const term of terms) {
    const part = parts.get(aspects[term]);
    if (part === undefined) parts.set(aspects[term], [term]);
    else part.push(term);
  }
  return parts;
}

/** A growing list of pairs. Proteins arrive in ascending order, the terms of a protein in any order. */
class Pairs {
  readonly #protein: number[] = [];
  readonly #term: number[] = [];

  add(protein: number, term: number): void {
    this.#protein.push(protein);
    this.#term.push(term);
  }

  sorted(): ProteinTerms {
    const protein = Int32Array.from(this.#protein);
    const term = Int32Array.from(this.#term);
    for (let from = 0; from < protein.length; ) {
      let to = from;
      while (to < protein.length && protein[to] === protein[from]) to++;
      term.subarray(from, to).sort();
      from = to;
    }
    return { protein, term };
  }
}
