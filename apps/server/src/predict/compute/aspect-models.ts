import { readFileSync } from 'node:fs';
import { type Aspect, aspects } from '@kindred/contracts';
import type { CandidateFeatures, ScoredTerms } from '@kindred/kernels/combined';
import {
  createContributionWalker,
  parseLightgbmModel,
  predictWith,
  type TreeEnsemble,
  type TreeWalker,
} from '@kindred/kernels/reranker';
import { createTreeWalker } from './tree-walker.js';

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

interface AspectModel {
  model: TreeEnsemble;
  walker: TreeWalker;
  /** The indices of the model's features among those of the candidates. */
  columns: number[];
}

/** The trained models of the three aspects. Each thread has its own. */
export class AspectModels {
  readonly #models: readonly AspectModel[];
  readonly #width: number;

  /**
   * @param fileOf gives the path of the LightGBM model of an aspect, in text
   * @param features names the columns of the candidates
   * @throws RangeError for a model that asks for other columns
   */
  constructor(fileOf: (aspect: Aspect) => string, features: readonly string[]) {
    this.#width = features.length;
    this.#models = aspects.map((aspect) => {
      const model = parseLightgbmModel(readFileSync(fileOf(aspect), 'utf8'));
      const columns = model.featureNames.map((name) => features.indexOf(name));
      const unknown = model.featureNames.filter((_, i) => columns[i] < 0);
      if (unknown.length > 0)
        throw new RangeError(
          `the model of ${aspect} asks for features that do not exist: ${unknown.join(', ')}`,
        );
      return { model, walker: createTreeWalker(model), columns };
    });
  }

  /** Scores the candidates of all aspects, which are given in the order of the aspects. */
  scores(candidates: readonly CandidateFeatures[]): ScoredTerms {
    const parts = candidates.map(({ terms, features }, aspect) => {
      const { model, walker } = this.#models[aspect];
      return { terms, score: predictWith(walker, model, this.#matrix(aspect, features)) };
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

  /** Says what each feature adds to the score of a term; null if it is not a candidate. */
  shares({ terms, features }: CandidateFeatures, aspect: number, term: number): ModelShares | null {
    const row = terms.indexOf(term);
    if (row < 0) return null;
    const { model, walker } = this.#models[aspect];
    const matrix = this.#matrix(aspect, features.subarray(row * this.#width, (row + 1) * this.#width));
    const added = createContributionWalker(model).contributions(matrix);
    return {
      score: predictWith(walker, model, matrix)[0],
      expected: added[model.featureNames.length],
      features: model.featureNames.map((name, i) => ({ name, value: matrix[i], added: added[i] })),
    };
  }

  /** Arranges rows of the candidates in the columns that the model of the aspect reads. */
  #matrix(aspect: number, features: Float64Array): Float64Array {
    const { columns } = this.#models[aspect];
    const rows = features.length / this.#width;
    const matrix = new Float64Array(rows * columns.length);
    let cell = 0;
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < columns.length; i++) matrix[cell++] = features[row * this.#width + columns[i]];
    return matrix;
  }
}
