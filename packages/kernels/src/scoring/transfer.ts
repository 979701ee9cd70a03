import { GrowingFloat32, GrowingFloat64, GrowingInt32 } from '../arrays/index.js';
import { scoreOfDistance } from './score.js';
import { type RankedTerm, tieOrder } from './tie-order.js';
import type { Candidates, TransferInput, Transfers } from './types.js';
import { QueryVotes } from './votes.js';

/**
 * Transfers the terms of each query's neighbours to the query. Each (query, term) is one candidate, and each (query, term, reference)
 * that supports it is one row.
 *
 * A neighbour is a distinct sequence with one vote for a term, regardless of its number of annotations or proteins. NOT annotations are
 * left out, and in a list with an aspect also terms of other aspects. Terms are not propagated: the caller does that if needed. The
 * result is deterministic: equal scores are ordered by `tieOrder` (informative before common terms, then votes), sources by distance, then
 * accession rank.
 *
 * The cost is O(annotations of all neighbours + candidates x log candidates of a query), and O(all annotations) once if `termFrequency`
 * is omitted. The memory is the result and O(termCount).
 * @throws RangeError for inconsistent lists or distances that do not ascend; the signal's reason on abort
 */
export function transferTerms(input: TransferInput): { candidates: Candidates; transfers: Transfers } {
  checkLists(input);
  const writer = new Writer(input);
  const votes = new QueryVotes(input);
  for (let query = 0; query < input.nQuery; query++) {
    if (query % 256 === 0) input.signal?.throwIfAborted();
    votes.clear();
    for (const list of input.lists) votes.addList(list, query);
    writer.write(query, votes);
  }
  return writer.finish();
}

function checkLists(input: TransferInput): void {
  const { lists, nQuery, k, termAspect, termCount, termOrder, termFrequency, firstAspect } = input;
  const aspects = lists.map((list) => list.aspect);
  if (lists.length > 1 && (aspects.includes(undefined) || new Set(aspects).size < lists.length))
    throw new RangeError('of several neighbour lists, each must have an aspect of its own');
  for (const { neighbours, distances, aspect } of lists) {
    if (neighbours.length !== nQuery * k || distances.length !== nQuery * k)
      throw new RangeError(
        `${nQuery} queries x k ${k} need ${nQuery * k} entries, got ${neighbours.length} and ${distances.length}`,
      );
    if (aspect !== undefined && !termAspect)
      throw new RangeError('a neighbour list has an aspect, but termAspect is missing');
  }
  if (firstAspect !== undefined && !termAspect)
    throw new RangeError('firstAspect is given, but termAspect is missing');
  for (const column of [termAspect, termOrder, termFrequency])
    if (column && column.length !== termCount)
      throw new RangeError(
        `termAspect, termOrder and termFrequency must have ${termCount} entries, got ${column.length}`,
      );
}

/** Writes the sorted candidates of one query after the other. */
class Writer {
  readonly #query = new GrowingInt32();
  readonly #term = new GrowingInt32();
  readonly #score = new GrowingFloat64();
  readonly #voteCount = new GrowingInt32();
  readonly #kPosition = new GrowingInt32();
  readonly #source = new GrowingInt32();
  readonly #sourceEvidence = new GrowingInt32();
  readonly #sourceDistance = new GrowingFloat32();
  readonly #meanDistance = new GrowingFloat64();
  readonly #distanceStd = new GrowingFloat64();
  readonly #candidate = new GrowingInt32();
  readonly #reference = new GrowingInt32();
  readonly #position = new GrowingInt32();
  readonly #distance = new GrowingFloat32();
  readonly #evidence = new GrowingInt32();

  readonly #compareTies: (a: RankedTerm, b: RankedTerm) => number;

  readonly #input: TransferInput;

  constructor(input: TransferInput) {
    this.#input = input;
    this.#compareTies = tieOrder(input);
  }

  write(query: number, votes: QueryVotes): void {
    const std = votes.distanceStd;
    const firstRow = this.#query.length;
    const order = this.#sortedSlots(votes);
    for (const slot of order) {
      const entry = votes.firstEntry.at(slot);
      const distance = votes.distance.at(entry);
      this.#query.push(query);
      this.#term.push(votes.term.at(slot));
      this.#score.push(scoreOfDistance(distance, this.#input.metric));
      this.#voteCount.push(votes.voteCount.at(slot));
      this.#kPosition.push(votes.kPosition.at(slot));
      this.#source.push(votes.reference.at(entry));
      this.#sourceEvidence.push(votes.evidence.at(entry));
      this.#sourceDistance.push(distance);
      this.#meanDistance.push(votes.distanceSum.at(slot) / votes.voteCount.at(slot));
      this.#distanceStd.push(std);
    }
    this.#writeTransfers(votes, order, firstRow);
  }

  #sortedSlots(votes: QueryVotes): Int32Array {
    const ranked = Array.from({ length: votes.term.length }, (_, slot) => ({
      slot,
      term: votes.term.at(slot),
      votes: votes.voteCount.at(slot),
      // The scores are compared, not the distances, because different distances can have the same score after clipping to 0 or 1.
      score: scoreOfDistance(votes.distance.at(votes.firstEntry.at(slot)), this.#input.metric),
    }));
    ranked.sort((a, b) => b.score - a.score || this.#compareTies(a, b));
    return Int32Array.from(ranked, ({ slot }) => slot);
  }

  /** Writes the transfers. Entries come in list order, and a counting sort by candidate keeps that order within each candidate. */
  #writeTransfers(votes: QueryVotes, order: Int32Array, firstRow: number): void {
    const nEntries = votes.entrySlot.length;
    const rowOfSlot = new Int32Array(order.length);
    order.forEach((slot, row) => {
      rowOfSlot[slot] = row;
    });
    const next = new Int32Array(order.length + 1);
    for (let e = 0; e < nEntries; e++) next[rowOfSlot[votes.entrySlot.at(e)] + 1]++;
    for (let row = 0; row < order.length; row++) next[row + 1] += next[row];
    const sorted = new Int32Array(nEntries);
    for (let e = 0; e < nEntries; e++) sorted[next[rowOfSlot[votes.entrySlot.at(e)]]++] = e;
    for (const e of sorted) {
      this.#candidate.push(firstRow + rowOfSlot[votes.entrySlot.at(e)]);
      this.#reference.push(votes.reference.at(e));
      this.#position.push(votes.position.at(e));
      this.#distance.push(votes.distance.at(e));
      this.#evidence.push(votes.evidence.at(e));
    }
  }

  finish(): { candidates: Candidates; transfers: Transfers } {
    const voteCount = this.#voteCount.finish();
    return {
      candidates: {
        query: this.#query.finish(),
        term: this.#term.finish(),
        score: this.#score.finish(),
        voteCount,
        voteFraction: Float64Array.from(voteCount, (votes) => votes / this.#input.k),
        kPosition: this.#kPosition.finish(),
        source: this.#source.finish(),
        evidence: this.#sourceEvidence.finish(),
        distance: this.#sourceDistance.finish(),
        meanDistance: this.#meanDistance.finish(),
        distanceStd: this.#distanceStd.finish(),
      },
      transfers: {
        candidate: this.#candidate.finish(),
        reference: this.#reference.finish(),
        position: this.#position.finish(),
        distance: this.#distance.finish(),
        evidence: this.#evidence.finish(),
      },
    };
  }
}
