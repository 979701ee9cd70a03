import { GrowingFloat32, GrowingInt32, GrowingUint8 } from '@kindred/kernels/arrays';
import {
  answerRanking,
  type CombinedQuery,
  countedSources,
  curveOf,
  type DatabaseRate,
  DatabaseRates,
  experimentalBit,
  hasForeignHits,
  isSimilarAt,
  type KnownProbability,
  probabilitiesOf,
  type ProbabilityCurve,
  termBits,
  type TermFacts,
} from '@kindred/kernels/combined';
import { aspects } from '@kindred/contracts';
import type { EmptyReason } from '@kindred/kernels/vocabulary';
import { type CombinedInput, type DistantRelative, prepareQueries } from '../combined-queries.js';
import {
  type CombinedAnswer,
  type CombinedModels,
  CombinedScorer,
  eachDonatedTerm,
  readCombinedModels,
  readMethod,
} from '../combined-scorer.js';
import { combinedModelsFolder } from '../../../ground/folders.js';
import { RecentValues } from '../../../ground/recent-values.js';
import { entryOf } from '../open-bank.js';
import { proteinsBeside, proteinsIn } from '../reference-bank.js';
import { SequenceAlone } from '../sequence-alone.js';
import { task, type TaskControl } from '../../../ground/pool/pool.js';

/**
 * A term is supported by its frequency or the terms it occurs with only (none), by a source, or by the
 * protein's own annotation.
 */
export const combinedSources = ['none', 'protein', 'own_annotation'] as const;

/** The columns have one length, with a row per (query, term), by query, then by falling score. */
export interface CombinedOutput {
  query: Int32Array;
  term: Int32Array;
  /**
   * The best source has the term, or the query itself if its own annotation supports the term; -1 for none.
   */
  reference: Int32Array;
  /** The values are indices into `combinedSources`. */
  source: Uint8Array;
  /** The value is an index into the bank's evidence codes if the source has the term itself, else -1. */
  evidence: Int32Array;
  score: Float32Array;
  /** A probability of NaN means that it is not calibrated. */
  probability: Float32Array;
  low: Float32Array;
  high: Float32Array;
  /**
   * The value is an index into the curves and, after them, those of the databases and that of sequences alone; -1 if a row has none.
   */
  curve: Int32Array;
  /** The nearest source with the term has this distance, NaN without one. */
  distance: Float32Array;
  /** The alignment with the source has this identity, NaN without one. */
  identity: Float32Array;
  /** The source was found in this way, an index into `alignmentOrigins`. */
  origin: Uint8Array;
  /** Similar proteins with a term of the aspect are counted, and those of them that have the term. */
  similar: Int32Array;
  supporters: Int32Array;
  /** Ranks in the answer begin with 1; -1 means that only the term's frequency supports it. */
  answerRank: Int32Array;
  /** The reason why the reference says nothing of a query; its rows, if it has any, come from the sequence alone: [queries]. */
  noAnswer: (EmptyReason | null)[];
  /** A query without a relative may have a distant one: [queries]. */
  distant: (DistantRelative | null)[];
  /** These sources count in the scores, null for a query without an answer: [queries]. */
  sources: (Pick<CombinedQuery, 'aligned' | 'near'> | null)[];
}

/** Terms below the lowest threshold of an evaluation are left out. */
const minimumScore = 0.01;
const [none, protein, own] = combinedSources.keys();

let models: CombinedModels | null = null;
const scorers = new RecentValues<CombinedScorer>(proteinsBeside);
const ofSequence = new RecentValues<SequenceAlone>(proteinsBeside);

/** Gives the scorer of this thread; the last ones are kept. */
function openedScorer({ key, shared, bank }: CombinedInput): CombinedScorer {
  models ??= readCombinedModels(combinedModelsFolder);
  const scorer = scorers.get(key) ?? new CombinedScorer(shared, models);
  scorers.set(key, scorer, proteinsIn(bank.arrays));
  return scorer;
}

/** Computes the terms of each query with score, probability and their best support. */
async function combined(input: CombinedInput, control: TaskControl): Promise<CombinedOutput> {
  const prepared = await prepareQueries(input, () => control.aborted());
  const scorer = openedScorer(input);
  const rows = new Rows();
  const sources = new TermSources(input);
  const rates = new DatabaseRates(input.shared.reference, scorer.votes, input.databaseCurves);
  const { speaks } = input.shared.reference;
  const counted = prepared.map(({ query }) => (query === null ? null : countedSources(query, speaks)));
  for (const [q, { query: found, noAnswer }] of prepared.entries()) {
    if (control.aborted()) throw new DOMException('the prediction was cancelled', 'AbortError');
    if (found === null) {
      if (noAnswer === 'no_similar_protein') addRowsOfSequence(rows, q, input);
      continue;
    }
    // Rows count the sources that are stored, because the evidence of a term is computed from these.
    const query = { ...found, ...counted[q] };
    const answer = scorer.score(query, input.hasModel[q] === 1);
    addRows(rows, q, { query, answer, sources, held: rates.of(query) }, input);
  }
  return {
    ...rows.finish(),
    noAnswer: prepared.map(({ noAnswer }) => noAnswer),
    distant: prepared.map(({ distant }) => distant),
    sources: counted,
  };
}

/** The output's columns grow here. An object for each row would cost more than the scores. */
class Rows {
  readonly query = new GrowingInt32();
  readonly term = new GrowingInt32();
  readonly reference = new GrowingInt32();
  readonly source = new GrowingUint8();
  readonly evidence = new GrowingInt32();
  readonly score = new GrowingFloat32();
  readonly probability = new GrowingFloat32();
  readonly low = new GrowingFloat32();
  readonly high = new GrowingFloat32();
  readonly curve = new GrowingInt32();
  readonly distance = new GrowingFloat32();
  readonly identity = new GrowingFloat32();
  readonly origin = new GrowingUint8();
  readonly similar = new GrowingInt32();
  readonly supporters = new GrowingInt32();
  readonly answerRank = new GrowingInt32();

  /** Adds what a row's score means; the curves before those that it was read from are `before` many. */
  pushRate(
    meaning: Pick<KnownProbability, 'probability' | 'low' | 'high' | 'curve'> | null,
    before: number,
  ): void {
    this.probability.push(meaning?.probability ?? Number.NaN);
    this.low.push(meaning?.low ?? Number.NaN);
    this.high.push(meaning?.high ?? Number.NaN);
    this.curve.push(meaning === null ? -1 : before + meaning.curve);
  }

  finish(): Omit<CombinedOutput, 'noAnswer' | 'distant' | 'sources'> {
    return {
      query: this.query.finish(),
      term: this.term.finish(),
      reference: this.reference.finish(),
      source: this.source.finish(),
      evidence: this.evidence.finish(),
      score: this.score.finish(),
      probability: this.probability.finish(),
      low: this.low.finish(),
      high: this.high.finish(),
      curve: this.curve.finish(),
      distance: this.distance.finish(),
      identity: this.identity.finish(),
      origin: this.origin.finish(),
      similar: this.similar.finish(),
      supporters: this.supporters.finish(),
      answerRank: this.answerRank.finish(),
    };
  }
}

/** Adds the terms that a query without a relative gets from its sequence alone, if it may have any. */
function addRowsOfSequence(rows: Rows, q: number, input: CombinedInput): void {
  const { key, shared, bank, sequenceAlone, aspects: asked } = input;
  if (sequenceAlone === null) return;
  const opened = ofSequence.get(key) ?? new SequenceAlone(shared, sequenceAlone);
  ofSequence.set(key, opened, proteinsIn(bank.arrays));
  const answer = opened.answer(input.sequences[q]);
  if (answer === null) return;
  const { aspect, information, any } = shared.reference;
  const { term, rate } = answer;
  const places = Array.from(term.keys())
    .filter((i) => asked[aspect[term[i]]] === 1)
    .sort((a, b) => rate[b] - rate[a] || information[term[b]] - information[term[a]] || term[a] - term[b]);
  const first = rows.query.length;
  const facts = places.map((place): TermFacts => {
    const t = term[place];
    const probability = rate[place];
    rows.query.push(q);
    rows.term.push(t);
    rows.score.push(probability);
    rows.source.push(none);
    rows.reference.push(-1);
    rows.evidence.push(-1);
    rows.distance.push(Number.NaN);
    rows.identity.push(Number.NaN);
    rows.origin.push(0);
    rows.similar.push(0);
    rows.supporters.push(0);
    rows.pushRate(
      { probability, low: null, high: null, curve: 0 },
      input.curves.length + input.databaseCurves.length,
    );
    rows.answerRank.push(-1);
    const speakers = any.speakers[aspect[t]];
    return {
      ...{ term: t, aspect: aspects[aspect[t]], score: probability, probability },
      ...{ bits: termBits(any.carriers[t], speakers), speakers },
    };
  });
  answerRanking(facts).forEach((at, rank) => {
    rows.answerRank.set(first + at, rank + 1);
  });
}

interface ScoredQuery {
  query: CombinedQuery;
  answer: CombinedAnswer;
  sources: TermSources;
  held: DatabaseRate;
}

/** Adds rows by falling score, then by information; the answer has its own ranking. */
function addRows(
  rows: Rows,
  q: number,
  { query, answer, sources, held }: ScoredQuery,
  input: CombinedInput,
): void {
  const { aspect, information, any } = input.shared.reference;
  const { term, score, supported, read } = answer;
  const known = knowledgeOf(query, aspect);
  // No rate was measured with hits of other programs.
  const isCalibrated = !hasForeignHits(query.aligned);
  const facts = { method: readMethod[answer.method], kingdom: input.kingdom[q] };
  const curves = isCalibrated ? input.curves : [];
  const asked = aspects.map((aspectName, a) => ({ ...facts, aspect: aspectName, known: known[a] }));
  const meaningOf = asked.map((one) => probabilitiesOf(curves, one));
  // A curve that was fitted for the reference was fitted on the scores that are stored.
  const valuesOf = asked.map((one) => (curveOf(curves, one)?.reference ? score : read));
  sources.enter(query);
  const places = Int32Array.from(term.keys())
    .filter((i) => score[i] >= minimumScore && input.aspects[aspect[term[i]]] === 1)
    .sort((a, b) => score[b] - score[a] || information[term[b]] - information[term[a]] || term[a] - term[b]);
  const first = rows.query.length;
  const ranked: (TermFacts & { row: number })[] = [];
  for (let row = 0; row < places.length; row++) {
    const t = term[places[row]];
    const value = valuesOf[aspect[t]][places[row]];
    const shown = meaningOf[aspect[t]](value);
    const meaning = isCalibrated ? (shown ?? held(t)) : null;
    const isOwn = sources.has(t);
    const reference = sources.reference(t);
    rows.query.push(q);
    rows.term.push(t);
    rows.score.push(score[places[row]]);
    rows.source.push(isOwn ? own : reference < 0 ? none : protein);
    rows.reference.push(reference);
    rows.evidence.push(sources.evidence(reference, t));
    rows.distance.push(sources.distance(t));
    rows.identity.push(isOwn ? Number.NaN : sources.identity(t));
    rows.origin.push(isOwn ? 0 : sources.origin(t));
    rows.similar.push(sources.similar(aspect[t]));
    rows.supporters.push(sources.supporters(t));
    rows.pushRate(meaning, shown === null ? input.curves.length : 0);
    rows.answerRank.push(-1);
    if (supported[places[row]] === 0) continue;
    const speakers = any.speakers[aspect[t]];
    ranked.push({
      row,
      term: t,
      aspect: aspects[aspect[t]],
      // Readers judge a term without a probability by its stored score. Bare sequences keep the order that was measured with votes.
      score: meaning === null && answer.method === 'known' ? score[places[row]] : value,
      probability: meaning?.probability ?? null,
      bits: termBits(any.carriers[t], speakers),
      speakers,
    });
  }
  sources.leave();
  answerRanking(ranked).forEach((at, rank) => {
    rows.answerRank.set(first + ranked[at].row, rank + 1);
  });
}

/** Gives the prior knowledge of the protein, for each aspect. */
function knowledgeOf({ own: ownTerms }: CombinedQuery, aspect: Uint8Array): ProbabilityCurve['known'][] {
  const found = aspects.map(() => false);
  ownTerms?.terms.forEach((term, i) => {
    if (ownTerms.groups[i] & experimentalBit) found[aspect[term]] = true;
  });
  const any = found.includes(true);
  return found.map((here) => (here ? 'same aspect' : any ? 'other aspects' : 'nothing'));
}

/**
 * Finds the best support for each term of a query: its own annotation, the best alignment, the nearest source.
 * Callers enter a query first, and leave it at the end.
 */
class TermSources {
  readonly #input: CombinedInput;
  /**
   * The best source is the query's own reference if it has the term without an experiment, else the best
   * source; -1 for none. [terms]
   */
  readonly #best: Int32Array;
  /** The nearest source with the term has this distance; NaN without one. [terms] */
  readonly #distance: Float64Array;
  /** The alignment with the best source has this identity; NaN if it was found by distance. [terms] */
  readonly #identity: Float64Array;
  /** The best source was found in this way, an index into `alignmentOrigins`. [terms] */
  readonly #origin: Uint8Array;
  /** Each term counts the similar proteins that have it. [terms] */
  readonly #supporters: Int32Array;
  /** Each aspect counts the similar proteins that have a term of it. [aspects] */
  readonly #similar = new Int32Array(aspects.length);
  /** A term has 1 if the query has it without an experiment. [terms] */
  readonly #own: Uint8Array;
  #left: () => void = () => {};

  constructor(input: CombinedInput) {
    this.#input = input;
    const terms = input.shared.reference.aspect.length;
    this.#best = new Int32Array(terms).fill(-1);
    this.#distance = new Float64Array(terms).fill(Number.NaN);
    this.#identity = new Float64Array(terms).fill(Number.NaN);
    this.#supporters = new Int32Array(terms);
    this.#origin = new Uint8Array(terms);
    this.#own = new Uint8Array(terms);
  }

  enter({ aligned, near, own: ownTerms, self }: CombinedQuery): void {
    const { annotated, speaks } = this.#input.shared.reference;
    const best = this.#best;
    const distance = this.#distance;
    const identity = this.#identity;
    const origin = this.#origin;
    const supporters = this.#supporters;
    const isSimilar = Uint8Array.from(aligned.logEValue, (value) => Number(isSimilarAt(value)));
    aligned.reference.forEach((source, place) => {
      if (source === self || isSimilar[place] === 0) return;
      for (let a = 0; a < aspects.length; a++)
        this.#similar[a] += (speaks[source] >> (aspects.length + a)) & 1;
    });
    eachDonatedTerm(annotated, aligned.reference, self, (term, place) => {
      supporters[term] += isSimilar[place];
      if (best[term] >= 0) return;
      best[term] = aligned.reference[place];
      identity[term] = aligned.identity[place];
      origin[term] = aligned.origin?.[place] ?? 0;
    });
    eachDonatedTerm(annotated, near.reference, self, (term, place) => {
      if (best[term] < 0) best[term] = near.reference[place];
      if (Number.isNaN(distance[term])) distance[term] = near.distance[place];
    });
    const mine = ownTerms?.terms.filter((_, i) => (ownTerms.groups[i] & ~experimentalBit) !== 0) ?? [];
    for (const term of mine) {
      this.#own[term] = 1;
      best[term] = self;
    }
    this.#left = () => {
      this.#similar.fill(0);
      for (const sources of [aligned.reference, near.reference])
        eachDonatedTerm(annotated, sources, self, (term) => {
          best[term] = -1;
          distance[term] = Number.NaN;
          identity[term] = Number.NaN;
          origin[term] = 0;
          supporters[term] = 0;
        });
      for (const term of mine) {
        this.#own[term] = 0;
        best[term] = -1;
      }
    };
  }

  leave(): void {
    this.#left();
  }

  has(term: number): boolean {
    return this.#own[term] === 1;
  }

  reference(term: number): number {
    return this.#best[term];
  }

  distance(term: number): number {
    return this.#distance[term];
  }

  /** Gives the identity of the alignment with the best source, which is never the query itself. */
  identity(term: number): number {
    return this.#identity[term];
  }

  /** Gives the way in which the best source was found. */
  origin(term: number): number {
    return this.#origin[term];
  }

  similar(aspect: number): number {
    return this.#similar[aspect];
  }

  supporters(term: number): number {
    return this.#supporters[term];
  }

  evidence(reference: number, term: number): number {
    if (reference < 0) return -1;
    const { arrays } = this.#input.bank;
    const at = entryOf(arrays, reference, term);
    return at < arrays.termStart[reference + 1] && arrays.terms[at] === term ? arrays.evidence[at] : -1;
  }
}

export const combinedTask = task(import.meta.url, combined);
