import type { EmbeddingRecipe } from '@kindred/contracts';

export type PoolingRecipe = Pick<
  EmbeddingRecipe,
  'layer_agg' | 'pooling' | 'normalize_residues' | 'normalize'
>;

/** Returns the length of the pooled vector for `layers` states of `hidden` numbers. */
export function pooledDimension(recipe: PoolingRecipe, layers: number, hidden: number): number {
  const width = recipe.layer_agg === 'concat' ? layers * hidden : hidden;
  return recipe.pooling === 'mean_max' ? 2 * width : width;
}

/** The states of the tokens first .. endExclusive of one input, with one array [tokens of the run x hidden] for each layer. */
export interface TokenStates {
  layers: readonly Float32Array[];
  first: number;
  endExclusive: number;
}

/**
 * Collects the residues of one row, from one or several inputs (windows of a long sequence), and pools them. For each residue, layers are
 * averaged or concatenated, and optionally normalised to length 1. Over the residues, the mean, the maximum or both (mean first) are
 * taken. The vector is optionally normalised to length 1. A residue or vector of length 0 is unchanged. Sums are float64 in order of
 * residues, so that other inputs in the same run do not affect a row. Cost: O(residues x layers x hidden).
 */
export class ResiduePool {
  readonly #width: number;
  readonly #sum: Float64Array;
  /** The maxima; null if they are not requested. */
  readonly #largest: Float64Array | null;
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
    this.#largest = recipe.pooling.includes('max')
      ? new Float64Array(this.#width).fill(Number.NEGATIVE_INFINITY)
      : null;
    this.#residue = new Float64Array(this.#width);
  }

  add({ layers, first, endExclusive }: TokenStates): void {
    const residue = this.#residue;
    const sum = this.#sum;
    const { layer_agg, normalize_residues } = this.#recipe;
    const isPlain = (layer_agg === 'concat' || layers.length === 1) && !normalize_residues;
    this.#count += endExclusive - first;
    // This path is for most recipes, which are sums of the states as they are, and reads each number once.
    if (isPlain && this.#largest === null) {
      for (const [l, layer] of layers.entries())
        addRows(sum.subarray(l * this.#hidden, (l + 1) * this.#hidden), layer, first, endExclusive);
      return;
    }
    for (let token = first; token < endExclusive; token++) {
      this.#readResidue(layers, token);
      if (normalize_residues) toLengthOne(residue);
      for (let i = 0; i < sum.length; i++) sum[i] += residue[i];
      if (this.#largest !== null) raise(this.#largest, residue);
    }
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
    for (let i = 0; i < this.#width; i++) this.#sum[i] += next.#sum[i];
    if (this.#largest !== null && next.#largest !== null) raise(this.#largest, next.#largest);
    this.#count += next.#count;
  }

  /** @returns float32; for `cls` the added tokens are class tokens, averaged over windows */
  vector(): Float32Array {
    const sum = this.#sum;
    const largest = this.#largest;
    const width = this.#width;
    const count = this.#count;
    const { pooling, normalize } = this.#recipe;
    const mean = sum.map((value) => value / count);
    const vector = new Float64Array(pooling === 'mean_max' ? 2 * width : width);
    vector.set(pooling === 'max' && largest !== null ? largest : mean);
    if (pooling === 'mean_max' && largest !== null) vector.set(largest, width);
    if (normalize) toLengthOne(vector);
    return Float32Array.from(vector);
  }
}

/** Adds the rows first .. endExclusive of [rows x sum.length] in their order. */
function addRows(sum: Float64Array, rows: Float32Array, first: number, endExclusive: number): void {
  const width = sum.length;
  for (let row = first; row < endExclusive; row++) {
    const at = row * width;
    for (let i = 0; i < width; i++) sum[i] += rows[at + i];
  }
}

function raise(largest: Float64Array, values: Float64Array): void {
  for (let i = 0; i < largest.length; i++) if (!(values[i] <= largest[i])) largest[i] = values[i];
}

function toLengthOne(vector: Float64Array): void {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square === 0) return;
  const scale = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
}
