import type { Aspect } from '../vocabulary/index.js';
import { measuredRate } from './answer-rank.js';
import { certainties, certaintyOf, isInAnswer } from './vocabulary/certainty.js';

/** The facts of a term that decide its place in an answer. */
export interface RankedTerm {
  go_term_id: number;
  go_id: string;
  score: number;
  probability: number | null;
  /** The place that the predicting method gave the term; null means unranked. */
  answer_rank: number | null;
  contradiction: string | null;
  /** Whether the term is known of the protein itself. */
  is_known?: boolean | null;
}

/** The place in the tree that the order gives each term. */
export interface Folded {
  /** GO id of the term of the answer that implies this one and is at least as certain in a word; null if there is none. */
  folded_under: string | null;
}

/** Facts of the ontology, among them which terms are too general to come first whatever their certainty. */
export interface OrderFacts<Row> {
  /** The direct parents of each child, for the rows and all terms above them. */
  parents: ParentsOf;
  aspectOf: (row: Row) => Aspect;
  isGeneral: (row: Row) => boolean;
}

/** Says whether a row is part of the answer that is shown first. Only methods that rank their terms set an end to their answers. */
export function belongsToAnswer(
  rows: readonly RankedTerm[],
): (row: Pick<RankedTerm, 'answer_rank' | 'probability' | 'score'>) => boolean {
  if (rows.every((row) => row.answer_rank === null)) return () => true;
  return (row) => row.answer_rank !== null && isInAnswer(row);
}

/**
 * Orders the predicted terms of one protein as every list shows them. The rows come in the order of the method (`answer_rank`, else by
 * score). Terms of an aspect stay together; the aspect with the best first term leads. Within an aspect, terms that the protein is known
 * to have come last, and before them terms that are too general. The others stay as the method ranks them, but among terms of one
 * certainty, those that another one implies come after the rest. Terms that do not belong to the answer are at the end in their order:
 * those below its end and contradicted ones.
 */
export function answerOrder<Row extends RankedTerm>(
  rows: readonly Row[],
  facts: OrderFacts<Row>,
): (Row & Folded)[] {
  const belongs = belongsToAnswer(rows);
  const answered = rows.filter((row) => row.contradiction === null && belongs(row));
  const places = placesOf(answered, facts);
  const last = answered.length;
  const firstOf = new Map<Aspect, number>();
  for (const { aspect, folder, rank } of places)
    if (folder === null) firstOf.set(aspect, Math.min(rank, firstOf.get(aspect) ?? last));
  places.sort(
    (a, b) =>
      (firstOf.get(a.aspect) ?? last) - (firstOf.get(b.aspect) ?? last) ||
      a.run - b.run ||
      Number(a.folder !== null) - Number(b.folder !== null) ||
      a.rank - b.rank,
  );
  const ordered = places.map(({ row, folder }) => Object.assign(row, { folded_under: folder }));
  if (answered.length === rows.length) return ordered;
  const inAnswer = new Set<Row>(answered);
  const rest = rows.filter((row) => !inAnswer.has(row));
  return [...ordered, ...rest.map((row) => Object.assign(row, { folded_under: null }))];
}

/** Direct parents of a term. */
type ParentsOf = Pick<ReadonlyMap<number, readonly number[]>, 'get'>;

interface Place<Row> {
  row: Row;
  aspect: Aspect;
  certainty: number;
  /** The place by the method, shifted so that known and general terms are at the end. */
  rank: number;
  /** The number of the stretch of terms of one certainty, within the aspect. */
  run: number;
  folder: string | null;
}

function placesOf<Row extends RankedTerm>(rows: readonly Row[], facts: OrderFacts<Row>): Place<Row>[] {
  const places = rows.map((row): Place<Row> & { tier: number } => {
    const aspect = facts.aspectOf(row);
    const tier = 2 * Number(row.is_known === true) + Number(facts.isGeneral(row));
    const certainty = certaintyPlace(row, aspect);
    return { row, aspect, tier, certainty, rank: 0, run: 0, folder: null };
  });
  places.sort((a, b) => a.tier - b.tier);
  const runs = new Map<Aspect, { tier: number; certainty: number; run: number }>();
  for (const [rank, place] of places.entries()) {
    const { aspect, tier, certainty } = place;
    const before = runs.get(aspect);
    const goesOn = before?.tier === tier && before.certainty === certainty;
    const run = before === undefined ? 0 : before.run + Number(!goesOn);
    runs.set(aspect, { tier, certainty, run });
    place.rank = rank;
    place.run = run;
  }
  fold(places, facts.parents);
  return places;
}

/**
 * Returns the place of the word among `certainties`, by the probability, or else by how often such scores were right. A term for which
 * neither is known comes after all words.
 */
function certaintyPlace({ probability, answer_rank, score }: RankedTerm, aspect: Aspect): number {
  const chance = probability ?? (answer_rank === null ? null : measuredRate(aspect, score));
  const word = certaintyOf(chance);
  return word === null ? certainties.length : certainties.indexOf(word);
}

/**
 * Sets the folder of each term that another term of its aspect implies: the first one that is at least as certain in a word and that no
 * other term implies in turn. The parents form no circle.
 */
function fold<Row extends RankedTerm>(places: Place<Row>[], parents: ParentsOf): void {
  const aboveOf = membersAbove(
    places.map(({ row }) => row.go_term_id),
    parents,
  );
  const implies = (upper: Place<Row>, lower: number): boolean =>
    upper.aspect === places[lower].aspect && upper.certainty <= places[lower].certainty;
  const isImplied = new Uint8Array(places.length);
  const above = places.map(({ row }) => aboveOf(row.go_term_id));
  places.forEach((place, at) => {
    for (const lower of above[at]) if (implies(place, lower)) isImplied[lower] = 1;
  });
  places.forEach((place, at) => {
    if (isImplied[at] === 1) return;
    for (const lower of above[at]) if (implies(place, lower)) places[lower].folder ??= place.row.go_id;
  });
}

/**
 * Makes a lookup of the given terms above each of them, as their places in the list; paths may lead over other terms. Sets of terms are
 * bits, because a list of proteins has thousands of terms.
 */
function membersAbove(terms: readonly number[], parents: ParentsOf): (term: number) => number[] {
  const placeOf = new Map(terms.map((term, place) => [term, place]));
  const words = Math.ceil(terms.length / 32);
  const found = new Map<number, Uint32Array>();
  const bitsOf = (term: number): Uint32Array => {
    const known = found.get(term);
    if (known !== undefined) return known;
    const bits = new Uint32Array(words);
    found.set(term, bits);
    for (const parent of parents.get(term) ?? []) {
      const above = bitsOf(parent);
      for (let i = 0; i < words; i++) bits[i] |= above[i];
      const at = placeOf.get(parent);
      if (at !== undefined) bits[at >>> 5] |= 1 << (at & 31);
    }
    return bits;
  };
  return (term) => placesIn(bitsOf(term));
}

function placesIn(bits: Uint32Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < bits.length; at++)
    for (let rest = bits[at]; rest !== 0; rest &= rest - 1)
      places.push(32 * at + 31 - Math.clz32(rest & -rest));
  return places;
}
