import { certainties, certaintyOf, isInAnswer } from './certainty.js';

/** The facts of a term that decide its place in an answer. */
export interface RankedTerm {
  go_term_id: number;
  score: number;
  probability: number | null;
  /** Place by the method that predicted it; null: unranked. */
  answer_rank: number | null;
  contradiction: string | null;
}

/** True for a row of the answer that is shown first. Only a method that ranks its terms sets an end to its answers. */
export function belongsToAnswer(
  rows: readonly RankedTerm[],
): (row: Pick<RankedTerm, 'answer_rank' | 'probability' | 'score'>) => boolean {
  if (rows.every((row) => row.answer_rank === null)) return () => true;
  return (row) => row.answer_rank !== null && isInAnswer(row);
}

/** A term that implies at most so many others of the answer says little, as protein binding does. */
const mostOfLittle = 1;

/**
 * The terms of one protein as every list shows them: by the word of their certainty, within a word first those that imply most terms of the
 * answer, so that no term comes before one of its certainty that implies it. Terms without a probability come after the others: those that
 * no other one implies, in their order, before those that are implied. Terms that say little come after all that, in the same way. At the
 * end what does not belong to the answer: terms below its end and contradicted ones, in their order.
 *
 * @param parents direct parents by child, also of terms that are not in the rows; those of others may be missing
 */
export function answerOrder<Row extends RankedTerm>(rows: readonly Row[], parents: ParentsOf): Row[] {
  const belongs = belongsToAnswer(rows);
  const answered = rows.filter((row) => row.contradiction === null && belongs(row));
  const terms = answered.map((row) => row.go_term_id);
  const { sizes, implied } = membersAbove(terms, parents);
  const places = answered.map((row, at) => ({
    row,
    saysLittle: Number(sizes[at] <= mostOfLittle),
    certainty: certaintyPlace(row),
    specificity: row.probability === null && !implied.has(row.go_term_id) ? terms.length : sizes[at],
  }));
  places.sort(
    (a, b) => a.saysLittle - b.saysLittle || a.certainty - b.certainty || b.specificity - a.specificity,
  );
  if (answered.length === rows.length) return places.map(({ row }) => row);
  const inAnswer = new Set(answered);
  return [...places.map(({ row }) => row), ...rows.filter((row) => !inAnswer.has(row))];
}

/** Direct parents of a term. */
type ParentsOf = Pick<ReadonlyMap<number, readonly number[]>, 'get'>;

/** Terms without a word come last. */
function certaintyPlace({ probability }: RankedTerm): number {
  const word = certaintyOf(probability);
  return word === null ? certainties.length : certainties.indexOf(word);
}

/**
 * Counts the terms above each term, over ways that lead through the given terms alone, and marks those that are above some. Sets of terms
 * are bits: a list of proteins has thousands of terms. The parents form no circle.
 */
function membersAbove(
  terms: readonly number[],
  parents: ParentsOf,
): { sizes: number[]; implied: Set<number> } {
  const placeOf = new Map(terms.map((term, place) => [term, place]));
  const words = Math.ceil(terms.length / 32);
  const above = terms.map((): Uint32Array | null => null);
  const aboveOf = (place: number): Uint32Array => {
    const found = above[place];
    if (found !== null) return found;
    const bits = new Uint32Array(words);
    above[place] = bits;
    for (const parent of parents.get(terms[place]) ?? []) {
      const at = placeOf.get(parent);
      if (at === undefined) continue;
      unite(bits, aboveOf(at));
      bits[at >>> 5] |= 1 << (at & 31);
    }
    return bits;
  };
  const all = new Uint32Array(words);
  const sizes = terms.map((_term, place) => {
    unite(all, aboveOf(place));
    return countOf(aboveOf(place));
  });
  return { sizes, implied: new Set(terms.filter((_term, at) => (all[at >>> 5] >>> (at & 31)) & 1)) };
}

function unite(into: Uint32Array, bits: Uint32Array): void {
  for (let i = 0; i < into.length; i++) into[i] |= bits[i];
}

function countOf(bits: Uint32Array): number {
  let count = 0;
  for (let word of bits) for (; word !== 0; word &= word - 1) count++;
  return count;
}
