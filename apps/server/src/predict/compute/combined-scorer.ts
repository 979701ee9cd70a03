import {
  BareFeatures,
  bareFeatures,
  CombinedFeatures,
  type CombinedQuery,
  combinedFeatures,
  combinedScores,
  hasForeignHits,
  meanScores,
  type ScoredTerms,
  UntrainedVotes,
  type VoteShares,
} from '@kindred/kernels/combined';
import type { TermRows } from '@kindred/kernels/ontology';
import { join } from 'node:path';
import { AspectModels, type ModelShares } from './aspect-models.js';
import type { SharedReference } from './tasks/combined-reference.js';

/** The trained models: of proteins with annotations of their own, and of bare sequences of eukaryotes. */
export interface CombinedModels {
  combined: AspectModels;
  bare: AspectModels;
}

/** Reads the models of the combination. Each thread has its own. */
export function readCombinedModels(folder: string): CombinedModels {
  return {
    combined: new AspectModels((aspect) => join(folder, `${aspect}.txt`), combinedFeatures),
    bare: new AspectModels((aspect) => join(folder, `bare.${aspect}.txt`), bareFeatures),
  };
}

/**
 * The scores of a query come from votes and the model of proteins with annotations of their own (combined), from votes and the model of
 * bare sequences of eukaryotes (bare), or from votes alone (untrained).
 */
export type CombinedMethod = 'combined' | 'bare' | 'untrained';

export interface CombinedAnswer extends ScoredTerms {
  method: CombinedMethod;
  /** A term has 1 if more than its frequency supports it. [terms of the answer] */
  supported: Uint8Array;
  /**
   * The scores that certainty and order rest on, Float64 [terms of the answer]: the same, but the votes of a bare sequence that its model
   * scores, too. With the model, terms that experiments find often but that say little, such as *cytosol*, would lead.
   */
  read: Float64Array;
}

/** A term's score consists of these parts. */
export interface TermExplanation {
  method: CombinedMethod;
  score: number;
  /**
   * The score comes from this term: the term itself, or the descendant whose score it took over. The parts
   * belong to it.
   */
  through: number;
  votes: VoteShares;
  /** The flag is false if the votes are below the minimum score and so count as 0. */
  votesCount: boolean;
  /** The value is null where votes alone count, and if the term was not among the model's candidates. */
  model: ModelShares | null;
}

/** The votes of a protein with annotations of its own. */
const withOwn = { by: 'alignment', withOwn: true } as const;

/** Scores queries against one reference. Each thread has its own scorer. */
export class CombinedScorer {
  readonly features: CombinedFeatures;
  readonly votes: UntrainedVotes;
  readonly models: CombinedModels;
  readonly #shared: SharedReference;
  readonly #bareFeatures: BareFeatures;
  readonly #scratch: Int32Array;
  /** Marks the terms of the reference; all marks are 0 between queries. [terms of the reference] */
  readonly #marks: Uint8Array;

  constructor(shared: SharedReference, models: CombinedModels) {
    this.#shared = shared;
    this.models = models;
    this.features = new CombinedFeatures(shared.reference);
    this.#bareFeatures = new BareFeatures(shared.reference, this.features);
    this.votes = new UntrainedVotes(shared.reference);
    this.#scratch = new Int32Array(shared.reference.aspect.length).fill(-1);
    this.#marks = new Uint8Array(shared.reference.aspect.length);
  }

  /**
   * A protein with annotations is scored by model and votes. A bare sequence is scored by votes by alignment and by distance, and with
   * `hasBareModel` by these and its model.
   */
  score(query: CombinedQuery, hasBareModel = false): CombinedAnswer {
    const trained = this.#trained(query, hasBareModel);
    if (trained === null) {
      const scores = this.votes.score(query);
      const supported = this.#marked(scores.term, this.#donated(query));
      return { ...scores, method: 'untrained', supported, read: scores.score };
    }
    const { method, model, candidates, votes } = trained;
    const scores = combinedScores(model.scores(candidates), votes, query.own, {
      closure: this.#shared.closure,
      scratch: this.#scratch,
    });
    const supporting = method === 'bare' ? this.#donated(query) : candidates.map(({ terms }) => terms);
    const read = method === 'bare' ? scoresOf(scores.term, votes) : scores.score;
    return { ...scores, method, supported: this.#marked(scores.term, supporting), read };
  }

  /** Describes what a trained model scores, with the votes that it is averaged with; null where votes alone count. */
  #trained(query: CombinedQuery, hasBareModel: boolean) {
    if (query.own !== null) {
      const candidates = this.features.describe(query);
      const votes = this.votes.score(query, withOwn);
      return { method: 'combined', model: this.models.combined, candidates, votes } as const;
    }
    // The model was measured with the relatives that the own search finds.
    if (!hasBareModel || hasForeignHits(query.aligned)) return null;
    const candidates = this.#bareFeatures.describe(query, null);
    return { method: 'bare', model: this.models.bare, candidates, votes: this.votes.score(query) } as const;
  }

  /** Gives the score of one term of a query; 0 if it has none. */
  scoreOf(query: CombinedQuery, term: number, hasBareModel = false): number {
    const answer = this.score(query, hasBareModel);
    const at = answer.term.indexOf(term);
    return at < 0 ? 0 : answer.score[at];
  }

  /** Explains the score of a term; null if the query has no score for it. */
  explain(query: CombinedQuery, term: number, hasBareModel = false): TermExplanation | null {
    const answer = this.score(query, hasBareModel);
    const at = answer.term.indexOf(term);
    if (at < 0) return null;
    const { method } = answer;
    const score = answer.score[at];
    const trained = this.#trained(query, hasBareModel);
    if (trained === null)
      return {
        method,
        score,
        through: term,
        votes: this.votes.explain(query, term),
        votesCount: true,
        model: null,
      };
    const { model, candidates, votes } = trained;
    const through = this.#best(meanScores(model.scores(candidates), votes, query.own), term);
    const aspect = this.#shared.reference.aspect[through];
    return {
      method,
      score,
      through,
      votes: this.votes.explain(query, through, method === 'combined' ? withOwn : undefined),
      votesCount: votes.term.includes(through),
      model: model.shares(candidates[aspect], aspect, through),
    };
  }

  /**
   * Finds the term with the highest score among a term and its descendants; of equal ones, the lowest number.
   */
  #best({ term: scored, score }: ScoredTerms, term: number): number {
    const { start, terms } = this.#shared.closure;
    let best = -1;
    scored.forEach((one, i) => {
      if (best >= 0 && score[i] <= score[best]) return;
      if (terms.subarray(start[one], start[one + 1]).includes(term)) best = i;
    });
    return scored[best];
  }

  #donated({ aligned, near, self }: CombinedQuery): Int32Array[] {
    const { start, terms } = this.#shared.reference.annotated;
    return [aligned.reference, near.reference].flatMap((sources) =>
      Array.from(sources, (source) =>
        source === self ? new Int32Array(0) : terms.subarray(start[source], start[source + 1]),
      ),
    );
  }

  #marked(terms: Int32Array, lists: readonly Int32Array[]): Uint8Array {
    const marks = this.#marks;
    for (const list of lists) for (let i = 0; i < list.length; i++) marks[list[i]] = 1;
    const found = Uint8Array.from(terms, (term) => marks[term]);
    for (const list of lists) for (let i = 0; i < list.length; i++) marks[list[i]] = 0;
    return found;
  }
}

/** Returns the scores of some terms, 0 for those without one. */
function scoresOf(terms: Int32Array, { term, score }: ScoredTerms): Float64Array {
  const of = new Map(Array.from(term, (one, i) => [one, score[i]]));
  return Float64Array.from(terms, (one) => of.get(one) ?? 0);
}

/** Visits the annotations of the sources, with the index of each source; the query itself is skipped. */
export function eachDonatedTerm(
  { start, terms }: TermRows,
  sources: Int32Array,
  self: number,
  visit: (term: number, place: number) => void,
): void {
  sources.forEach((source, place) => {
    if (source === self) return;
    for (let at = start[source]; at < start[source + 1]; at++) visit(terms[at], place);
  });
}
