import type { LevelledCells } from './cell-list.js';
import type { EvaluationNamespace } from '../read/evaluation-ontology.js';
import type { NamespaceFrame } from '../frame/frame.js';
import type { Propagation } from '../options.js';

/** A receiver of the cells of one protein after propagation, highest level first; see `Propagator.run`. */
export interface CellSink {
  /** Receives a term that is not in the known terms. The term is predicted at the level of the next `closeLevel` and all lower ones. */
  cell(term: number, isTrue: boolean): void;
  /** Ends a level: all of its cells have been received. */
  closeLevel(level: number): void;
}

export interface PropagatorRun {
  frame: NamespaceFrame;
  row: number;
  cells: LevelledCells;
  /** The level below which cells are not passed to the sink (with `fill` they still block others). */
  lowestLevel: number;
}

// The fields of a term, adjacent for the processor's cache: stamp of the propagation, mark of true and known terms, start and end of its
// parents.
const stampAt = 0;
const markAt = 1;
const parentsFrom = 2;
const parentsTo = 3;
const stride = 4;

/**
 * Propagates predicted terms to their ancestors, one protein after the other, with reused arrays. Cells come by falling level, so a term
 * gets its maximum level at the first visit and is never visited twice. With `fill`, a predicted term keeps its own level and passes that
 * on. The cost of a protein is the terms reached times their parents, for any number of thresholds.
 */
export class Propagator {
  readonly #nodes: Int32Array;
  readonly #parents: Int32Array;
  readonly #stack: Int32Array;
  readonly #fill: boolean;
  #round = 0;

  constructor(namespace: EvaluationNamespace, propagation: Propagation) {
    const size = namespace.size;
    this.#nodes = new Int32Array(size * stride);
    for (let term = 0; term < size; term++) {
      this.#nodes[term * stride + parentsFrom] = namespace.parentStart[term];
      this.#nodes[term * stride + parentsTo] = namespace.parentStart[term + 1];
    }
    this.#parents = namespace.parents;
    this.#stack = new Int32Array(size);
    this.#fill = propagation === 'fill';
  }

  run({ frame, row, cells, lowestLevel }: PropagatorRun, sink: CellSink): void {
    const from = cells.start[row];
    const to = cells.start[row + 1];
    if (from === to) return;
    const nodes = this.#nodes;
    const { terms, levels } = cells;
    // A round has two stamps: an even one for a predicted term before its visit, and an odd one after it.
    const predicted = (this.#round += 2);
    const visited = predicted + 1;
    this.#mark(frame, row, predicted);
    if (this.#fill) for (let i = from; i < to; i++) nodes[terms[i] * stride + stampAt] = predicted;
    for (let i = from; i < to && levels[i] >= lowestLevel; i++) {
      const term = terms[i];
      if (nodes[term * stride + stampAt] !== visited) {
        nodes[term * stride + stampAt] = visited;
        this.#climb(term, predicted, sink);
      }
      if (i + 1 === to || levels[i + 1] !== levels[i]) sink.closeLevel(levels[i]);
    }
  }

  /** Visits a term and those of its ancestors that no cell of this protein has reached. */
  #climb(term: number, predicted: number, sink: CellSink): void {
    const nodes = this.#nodes;
    const parents = this.#parents;
    const stack = this.#stack;
    const visited = predicted + 1;
    stack[0] = term;
    let depth = 1;
    while (depth > 0) {
      const at = stack[--depth];
      const node = at * stride;
      const mark = nodes[node + markAt];
      if (mark !== visited) sink.cell(at, mark === predicted);
      for (let e = nodes[node + parentsFrom]; e < nodes[node + parentsTo]; e++) {
        const parent = parents[e];
        if (nodes[parent * stride + stampAt] < predicted) {
          nodes[parent * stride + stampAt] = visited;
          stack[depth++] = parent;
        }
      }
    }
  }

  /** Marks the protein's true terms with `round`, and then its known terms with `round + 1`, which replaces the mark of a true term. */
  #mark({ truth, known }: NamespaceFrame, row: number, round: number): void {
    const nodes = this.#nodes;
    for (let i = truth.start[row]; i < truth.start[row + 1]; i++)
      nodes[truth.terms[i] * stride + markAt] = round;
    if (!known) return;
    for (let i = known.start[row]; i < known.start[row + 1]; i++)
      nodes[known.terms[i] * stride + markAt] = round + 1;
  }
}
