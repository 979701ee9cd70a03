import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aspects } from '@kindred/contracts';
import {
  type CandidateFeatures,
  CombinedFeatures,
  type CombinedQuery,
  combinedFeatures,
  combinedScores,
  meanScores,
  type ScoredTerms,
  UntrainedVotes,
  type VoteShares,
} from '@kindred/kernels/combined';
import type { TermRows } from '@kindred/kernels/ontology';
import {
  createContributionWalker,
  parseLightgbmModel,
  predictWith,
  type TreeEnsemble,
  type TreeWalker,
} from '@kindred/kernels/reranker';
import type { SharedReference } from './tasks/combined-reference.js';
import { createTreeWalker } from './tree-walker.js';

/** An aspect has its model, and the indices of the model's features in `combinedFeatures`. */
export interface AspectModel {
  model: TreeEnsemble;
  walker: TreeWalker;
  columns: number[];
}

/** Reads the models of the combination in the order of the aspects. */
export function readCombinedModels(folder: string): AspectModel[] {
  return aspects.map((aspect) => {
    const model = parseLightgbmModel(readFileSync(join(folder, `${aspect}.txt`), 'utf8'));
    const columns = model.featureNames.map((name) => (combinedFeatures as readonly string[]).indexOf(name));
    const unknown = model.featureNames.filter((_, i) => columns[i] < 0);
    if (unknown.length > 0)
      throw new RangeError(
        `the model of ${aspect} asks for features that do not exist: ${unknown.join(', ')}`,
      );
    return { model, walker: createTreeWalker(model), columns };
  });
}

/** The scores of a query come from the trained combination, or from the votes that a bare sequence gets. */
export type CombinedMethod = 'combined' | 'untrained';

export interface CombinedAnswer extends ScoredTerms {
  method: CombinedMethod;
  /** A term has 1 if more than its frequency supports it. [terms of the answer] */
  supported: Uint8Array;
}

/**
 * The model contributes the mean over its training rows, and the change by each feature, in the unit of its
 * raw sum.
 */
export interface ModelShares {
  /** The model scores the term by 1 / (1 + exp(-(expected + sum of added))). */
  score: number;
  expected: number;
  /** A missing feature has the value NaN. */
  features: { name: string; value: number; added: number }[];
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
  /** The value is null for a bare sequence, and if the term was not among the model's candidates. */
  model: ModelShares | null;
}

/** Scores queries against one reference. Each thread has its own scorer. */
export class CombinedScorer {
  readonly features: CombinedFeatures;
  readonly votes: UntrainedVotes;
  readonly models: readonly AspectModel[];
  readonly #shared: SharedReference;
  readonly #scratch: Int32Array;
  /** Marks the terms of the reference; all marks are 0 between queries. [terms of the reference] */
  readonly #marks: Uint8Array;

  constructor(shared: SharedReference, models: readonly AspectModel[]) {
    this.#shared = shared;
    this.models = models;
    this.features = new CombinedFeatures(shared.reference);
    this.votes = new UntrainedVotes(shared.reference);
    this.#scratch = new Int32Array(shared.reference.aspect.length).fill(-1);
    this.#marks = new Uint8Array(shared.reference.aspect.length);
  }

  /**
   * A protein with annotations is scored by model and votes, and a bare sequence by votes: by alignment and
   * by distance.
   */
  score(query: CombinedQuery): CombinedAnswer {
    if (query.own === null) {
      const scores = this.votes.score(query);
      return { ...scores, method: 'untrained', supported: this.#marked(scores.term, this.#donated(query)) };
    }
    const candidates = this.features.describe(query);
    const votes = this.votes.score(query, { by: 'alignment', withOwn: true });
    const scores = combinedScores(this.modelScores(candidates), votes, query.own, {
      closure: this.#shared.closure,
      scratch: this.#scratch,
    });
    const supported = this.#marked(
      scores.term,
      candidates.map(({ terms }) => terms),
    );
    return { ...scores, method: 'combined', supported };
  }

  /** Gives the score of one term of a query; 0 if it has none. */
  scoreOf(query: CombinedQuery, term: number): number {
    const answer = this.score(query);
    const at = answer.term.indexOf(term);
    return at < 0 ? 0 : answer.score[at];
  }

  /** Explains the score of a term; null if the query has no score for it. */
  explain(query: CombinedQuery, term: number): TermExplanation | null {
    const answer = this.score(query);
    const at = answer.term.indexOf(term);
    if (at < 0) return null;
    const { method } = answer;
    const score = answer.score[at];
    if (method === 'untrained')
      return {
        method,
        score,
        through: term,
        votes: this.votes.explain(query, term),
        votesCount: true,
        model: null,
      };
    const options = { by: 'alignment', withOwn: true } as const;
    const candidates = this.features.describe(query);
    const votes = this.votes.score(query, options);
    const means = meanScores(this.modelScores(candidates), votes, query.own);
    const through = this.#best(means, term);
    return {
      method,
      score,
      through,
      votes: this.votes.explain(query, through, options),
      votesCount: votes.term.includes(through),
      model: this.#modelShares(candidates, through),
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

  #modelShares(candidates: readonly CandidateFeatures[], term: number): ModelShares | null {
    const aspect = this.#shared.reference.aspect[term];
    const { terms, features } = candidates[aspect];
    const row = terms.indexOf(term);
    if (row < 0) return null;
    const { model, walker } = this.models[aspect];
    const width = combinedFeatures.length;
    const matrix = this.matrix(aspect, features.subarray(row * width, (row + 1) * width));
    const added = createContributionWalker(model).contributions(matrix);
    return {
      score: predictWith(walker, model, matrix)[0],
      expected: added[model.featureNames.length],
      features: model.featureNames.map((name, i) => ({ name, value: matrix[i], added: added[i] })),
    };
  }

  modelScores(candidates: readonly CandidateFeatures[]): ScoredTerms {
    const parts = candidates.map(({ terms, features }, aspect) => {
      const { model, walker } = this.models[aspect];
      return { terms, score: predictWith(walker, model, this.matrix(aspect, features)) };
    });
    const size = parts.reduce((sum, { terms }) => sum + terms.length, 0);
    const all = { term: new Int32Array(size), score: new Float64Array(size) };
    let place = 0;
    for (const { terms, score } of parts) {
      all.term.set(terms, place);
      all.score.set(score, place);
      place += terms.length;
    }
    return all;
  }

  /** Arranges rows of `combinedFeatures` in the columns that the model of the aspect reads. */
  matrix(aspect: number, features: Float64Array): Float64Array {
    const { columns } = this.models[aspect];
    const width = combinedFeatures.length;
    const rows = features.length / width;
    const matrix = new Float64Array(rows * columns.length);
    let cell = 0;
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < columns.length; i++) matrix[cell++] = features[row * width + columns[i]];
    return matrix;
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
