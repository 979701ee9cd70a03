import { certainties, certaintyOf, isInAnswer } from './certainty.js';

/** What the order of an answer depends on. */
export interface RankedTerm {
  go_term_id: number;
  score: number;
  probability: number | null;
  /** Place by the method that predicted it; null: unranked. */
  answer_rank: number | null;
  contradiction: string | null;
}

/** Whether a row belongs to the answer that is shown first. Only a method that ranks its terms sets an end to its answers. */
export function belongsToAnswer(
  rows: readonly RankedTerm[],
): (row: Pick<RankedTerm, 'answer_rank' | 'probability' | 'score'>) => boolean {
  if (rows.every((row) => row.answer_rank === null)) return () => true;
  return (row) => row.answer_rank !== null && isInAnswer(row);
}

/** A term that implies at most so many others of the answer says little, as protein binding does. */
const mostOfLittle = 1;

/**
 * The terms of one protein as every list shows them: by the word of their certainty, for one word those first that imply most terms
 * of the answer, so that no term comes before one of its certainty that implies it. Terms without a probability come after the others:
 * those that no other one implies, in their order, before those that are implied. Terms that say little come after all that, in the same
 * way. At the end what does not belong to the answer: terms below its end and contradicted ones, in their order.
 *
 * @param parents direct parents by child; terms that are not in the rows may be missing
 */
export function answerOrder<Row extends RankedTerm>(
  rows: readonly Row[],
  parents: ReadonlyMap<number, readonly number[]>,
): Row[] {
  const belongs = belongsToAnswer(rows);
  const answered = rows.filter((row) => row.contradiction === null && belongs(row));
  const members = new Set(answered.map((row) => row.go_term_id));
  const above = new Map(answered.map(({ go_term_id: term }) => [term, membersAbove(term, members, parents)]));
  const implied = new Set([...above.values()].flat());
  const size = ({ go_term_id: term }: Row) => above.get(term)?.length ?? 0;
  const saysLittle = (row: Row) => Number(size(row) <= mostOfLittle);
  const specificity = (row: Row) =>
    row.probability === null && !implied.has(row.go_term_id) ? members.size : size(row);
  const inAnswer = new Set(answered);
  return [
    ...answered.toSorted(
      (a, b) =>
        saysLittle(a) - saysLittle(b) ||
        certaintyPlace(a) - certaintyPlace(b) ||
        specificity(b) - specificity(a),
    ),
    ...rows.filter((row) => !inAnswer.has(row)),
  ];
}

/** Terms without a word come last. */
function certaintyPlace({ probability }: RankedTerm): number {
  const word = certaintyOf(probability);
  return word === null ? certainties.length : certainties.indexOf(word);
}

/** Members above a term, each once; the way to them leads over members. */
function membersAbove(
  term: number,
  members: ReadonlySet<number>,
  parents: ReadonlyMap<number, readonly number[]>,
): number[] {
  const seen = new Set([term]);
  for (const at of seen)
    for (const parent of parents.get(at) ?? []) if (members.has(parent)) seen.add(parent);
  seen.delete(term);
  return [...seen];
}
