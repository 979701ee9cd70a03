import type { EmbeddingRecipe } from '@kindred/contracts';

export type PoolingRecipe = Pick<
  EmbeddingRecipe,
  'layer_agg' | 'pooling' | 'normalize_residues' | 'normalize'
>;

/** Length of the pooled vector for `layers` states of `hidden` numbers. */
export function pooledDimension(recipe: PoolingRecipe, layers: number, hidden: number): number {
  const width = recipe.layer_agg === 'concat' ? layers * hidden : hidden;
  return recipe.pooling === 'mean_max' ? 2 * width : width;
}

/** The states of the tokens first .. endExclusive of one input, one array [tokens of the run x hidden] per layer. */
export interface TokenStates {
  layers: readonly Float32Array[];
  first: number;
  endExclusive: number;
}

/**
 * Collects the residues of one row, from one or several inputs (windows of a long sequence), and pools them. For each
 * residue, layers are averaged or concatenated, and optionally normalised to length 1. Over the residues: mean, maximum or
 * both (mean first). The vector is optionally normalised to length 1. A residue or vector of length 0 is unchanged. Sums are
 * float64 in order of residues, so that other inputs in the same run do not affect a row. Cost O(residues x layers x
 * hidden).
 */
export class ResiduePool {
  readonly #width: number;
  readonly #sum: Float64Array;
  readonly #largest: Float64Array;
  readonly #residue: Float64Array;
  #count = 0;

  readonly #recipe: PoolingRecipe;
  readonly #layerCount: number;
  readonly #hidden: number;

  constructor(recipe: PoolingRecipe, layerCount: number, hidden: number) {
    this.#recipe = recipe;
    this.#layerCount = layerCount;
    this.#hidden = hidden;
    this.#width = recipe.layer_agg === 'concat' ? layerCount * hidden : hidden;
    this.#sum = new Float64Array(this.#width);
    this.#largest = new Float64Array(this.#width).fill(Number.NEGATIVE_INFINITY);
    this.#residue = new Float64Array(this.#width);
  }

  add({ layers, first, endExclusive }: TokenStates): void {
    const residue = this.#residue;
    const sum = this.#sum;
    const largest = this.#largest;
    const width = this.#width;
    for (let token = first; token < endExclusive; token++) {
      this.#readResidue(layers, token);
      if (this.#recipe.normalize_residues) toLengthOne(residue);
      for (let i = 0; i < width; i++) {
        sum[i] += residue[i];
        if (!(residue[i] <= largest[i])) largest[i] = residue[i];
      }
    }
    this.#count += endExclusive - first;
  }

  #readResidue(layers: readonly Float32Array[], token: number): void {
    const residue = this.#residue;
    const hidden = this.#hidden;
    const layerCount = this.#layerCount;
    const at = token * hidden;
    if (this.#recipe.layer_agg === 'concat') {
      layers.forEach((layer, l) => residue.set(layer.subarray(at, at + hidden), l * hidden));
      return;
    }
    for (let i = 0; i < hidden; i++) {
      let value = layers[0][at + i];
      for (let l = 1; l < layerCount; l++) value += layers[l][at + i];
      residue[i] = value / layerCount;
    }
  }

  /** Adds the residues of another pool after those of this one. */
  merge(next: ResiduePool): void {
    for (let i = 0; i < this.#width; i++) {
      this.#sum[i] += next.#sum[i];
      if (!(next.#largest[i] <= this.#largest[i])) this.#largest[i] = next.#largest[i];
    }
    this.#count += next.#count;
  }

  /** @returns float32; for `cls` the tokens added are class tokens, averaged over windows */
  vector(): Float32Array {
    const sum = this.#sum;
    const largest = this.#largest;
    const width = this.#width;
    const count = this.#count;
    const { pooling, normalize } = this.#recipe;
    const mean = sum.map((value) => value / count);
    const vector = new Float64Array(pooling === 'mean_max' ? 2 * width : width);
    vector.set(pooling === 'max' ? largest : mean);
    if (pooling === 'mean_max') vector.set(largest, width);
    if (normalize) toLengthOne(vector);
    return Float32Array.from(vector);
  }
}

function toLengthOne(vector: Float64Array): void {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square === 0) return;
  const scale = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
}
