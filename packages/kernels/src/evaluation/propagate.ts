import type { EvaluationNamespace } from './evaluation-ontology.js';
import type { Propagation } from './options.js';

/**
 * Spreads the levels of one protein's predicted terms to their ancestors, one protein after the other over one set of
 * arrays. Terms are visited by height, so every child before its parents. Cost per protein: the terms reached times
 * their parents, whatever the number of thresholds.
 */
export class Propagator {
  /** After `run`: the terms reached, lower ones first, in reached[0 .. count). int32 */
  readonly reached: Int32Array;
  count = 0;
  /** After `run`: level per reached term; stale elsewhere. int32 */
  readonly level: Int32Array;

  private readonly namespace: EvaluationNamespace;
  private readonly fill: boolean;
  private readonly stamp: Int32Array;
  /** Terms of one height form a chain: first[height], then next[term]; -1 ends it. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;
  /** Stamp where the term was predicted itself. */
  private readonly own: Int32Array;
  private round = 0;

  constructor(namespace: EvaluationNamespace, propagation: Propagation) {
    const size = namespace.termIds.length;
    this.namespace = namespace;
    this.fill = propagation === 'fill';
    this.reached = new Int32Array(size);
    this.level = new Int32Array(size);
    this.stamp = new Int32Array(size);
    this.own = new Int32Array(size);
    this.next = new Int32Array(size);
    this.first = new Int32Array(namespace.maxHeight + 1).fill(-1);
  }

  /** @param levels level (> 0) of each of `terms`; repeats keep the largest */
  run(terms: Int32Array, levels: Int32Array, from: number, endExclusive: number): void {
    const round = ++this.round;
    this.count = 0;
    for (let i = from; i < endExclusive; i++) {
      this.own[terms[i]] = round;
      this.raise(terms[i], levels[i]);
    }
    const { parentStart, parents, maxHeight } = this.namespace;
    const { first, next, level, own, fill, reached } = this;
    for (let height = 0; height <= maxHeight; height++) {
      for (let term = first[height]; term >= 0; term = next[term]) {
        reached[this.count++] = term;
        const value = level[term];
        for (let e = parentStart[term]; e < parentStart[term + 1]; e++) {
          const parent = parents[e];
          if (!fill || own[parent] !== round) this.raise(parent, value);
        }
      }
      first[height] = -1;
    }
  }

  private raise(term: number, value: number): void {
    if (this.stamp[term] === this.round) {
      if (this.level[term] < value) this.level[term] = value;
      return;
    }
    this.stamp[term] = this.round;
    this.level[term] = value;
    const height = this.namespace.height[term];
    this.next[term] = this.first[height];
    this.first[height] = term;
  }
}
