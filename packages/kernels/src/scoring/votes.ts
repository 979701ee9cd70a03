import { GrowingFloat32, GrowingFloat64, GrowingInt32 } from '../arrays/index.js';
import type { NeighbourList, TransferInput } from './types.js';

/**
 * The votes of one query: its candidate terms (slots, in order of first appearance) and the entries (term, reference) that support them,
 * in list order. The object is used again for every query; `clear` costs O(terms seen).
 */
export class QueryVotes {
  readonly term = new GrowingInt32();
  readonly voteCount = new GrowingInt32();
  readonly kPosition = new GrowingInt32();
  readonly distanceSum = new GrowingFloat64();
  /** The first entry of each slot, which is the source's entry. */
  readonly firstEntry = new GrowingInt32();
  readonly entrySlot = new GrowingInt32();
  readonly reference = new GrowingInt32();
  readonly position = new GrowingInt32();
  readonly distance = new GrowingFloat32();
  readonly evidence = new GrowingInt32();
  readonly #lastEntry = new GrowingInt32();
  readonly #slotOfTerm: Int32Array;
  #neighbours = 0;
  #mean = 0;
  #squares = 0;

  readonly #input: TransferInput;

  constructor(input: TransferInput) {
    this.#input = input;
    this.#slotOfTerm = new Int32Array(input.termCount).fill(-1);
  }

  clear(): void {
    for (let slot = 0; slot < this.term.length; slot++) this.#slotOfTerm[this.term.at(slot)] = -1;
    for (const column of [this.term, this.voteCount, this.kPosition, this.distanceSum, this.firstEntry])
      column.truncate(0);
    for (const column of [this.entrySlot, this.reference, this.position, this.distance, this.evidence])
      column.truncate(0);
    this.#lastEntry.truncate(0);
    this.#neighbours = 0;
    this.#mean = 0;
    this.#squares = 0;
  }

  /** The population standard deviation of the distances of all neighbours; 0 for one or none. */
  get distanceStd(): number {
    return this.#neighbours < 2 ? 0 : Math.sqrt(this.#squares / this.#neighbours);
  }

  addList(list: NeighbourList, query: number): void {
    const { k, sharing } = this.#input;
    let before = Number.NEGATIVE_INFINITY;
    for (let position = 1; position <= k; position++) {
      const at = query * k + position - 1;
      const reference = list.neighbours[at];
      if (reference < 0) return;
      const distance = list.distances[at];
      if (!(distance >= before))
        throw new RangeError(
          `query ${query}: distances must ascend, place ${position} has ${distance} after ${before}`,
        );
      before = distance;
      this.#observe(distance);
      if (!sharing) {
        this.#addReference(reference, position, distance, list.aspect);
        continue;
      }
      const { start, members } = sharing.groups;
      const group = sharing.sequence[reference];
      for (let m = start[group]; m < start[group + 1]; m++)
        this.#addReference(members[m], position, distance, list.aspect);
    }
  }

  /** Updates the running mean and sum of squared deviations, by which equal distances deviate by exactly 0. */
  #observe(distance: number): void {
    this.#neighbours++;
    const deviation = distance - this.#mean;
    this.#mean += deviation / this.#neighbours;
    this.#squares += deviation * (distance - this.#mean);
  }

  #addReference(reference: number, position: number, distance: number, aspect: number | undefined): void {
    const { annotations, termAspect } = this.#input;
    for (let a = annotations.start[reference]; a < annotations.start[reference + 1]; a++) {
      if (annotations.negated?.[a]) continue;
      const term = annotations.term[a];
      if (aspect !== undefined && termAspect?.[term] !== aspect) continue;
      const evidence = annotations.evidence ? annotations.evidence[a] : -1;
      const slot = this.#slotOfTerm[term];
      if (slot < 0) {
        this.#openSlot(term, position, distance);
        this.#addEntry(this.term.length - 1, reference, position, { distance, evidence });
        continue;
      }
      const last = this.#lastEntry.at(slot);
      if (this.reference.at(last) === reference) {
        if (evidence < this.evidence.at(last)) this.evidence.set(last, evidence);
        continue;
      }
      if (this.position.at(last) !== position) {
        this.voteCount.set(slot, this.voteCount.at(slot) + 1);
        this.distanceSum.set(slot, this.distanceSum.at(slot) + distance);
      }
      this.#addEntry(slot, reference, position, { distance, evidence });
    }
  }

  #openSlot(term: number, position: number, distance: number): void {
    this.#slotOfTerm[term] = this.term.length;
    this.term.push(term);
    this.voteCount.push(1);
    this.kPosition.push(position);
    this.distanceSum.push(distance);
    this.firstEntry.push(this.entrySlot.length);
    this.#lastEntry.push(-1);
  }

  #addEntry(
    slot: number,
    reference: number,
    position: number,
    { distance, evidence }: { distance: number; evidence: number },
  ): void {
    this.#lastEntry.set(slot, this.entrySlot.length);
    this.entrySlot.push(slot);
    this.reference.push(reference);
    this.position.push(position);
    this.distance.push(distance);
    this.evidence.push(evidence);
  }
}
