import { type FeaturePlan, type GapTables, gapsOf, maxWave, type PairTable, weightsOf } from './features.js';
import { halfWave } from './half-wave.js';
import {
  componentCount,
  letters,
  letterTable,
  standardLetters,
  type SubstitutionComponents,
  unknownLetter,
} from './substitution.js';

const columns = letters.length;
const countStride = 32;
const table = letterTable();

/** Turns residue letters into columns of `letters`. @throws RangeError with the position, from 1, of an invalid character */
export function encodeLetters(sequence: string): Uint8Array {
  const codes = new Uint8Array(sequence.length);
  for (let i = 0; i < codes.length; i++) {
    const code = table[sequence.charCodeAt(i)] ?? -1;
    if (code < 0) throw new RangeError(`position ${i + 1}: '${sequence[i]}' is not a residue letter`);
    codes[i] = code;
  }
  return codes;
}

/**
 * Computes the vectors of one model in plain code, which `WasmSpectrum` must equal. The buffers are used again, so an instance handles
 * one sequence at a time.
 *
 * Feature x of a sequence of n known residues becomes sign(x) |x / sqrt(n)|^(5/8) times its weight: repeats and
 * low-complexity stretches count less than in proportion. Values are centred on the sequence's own composition before
 * they are paired, so that a biased composition does not count twice as similarity.
 */
export class Spectrum {
  readonly #plain = new Float64Array(columns * countStride);
  readonly #waved = new Float64Array(columns * countStride);
  readonly #centred = new Float64Array(componentCount * columns);
  readonly #halfway = new Float64Array(columns);
  readonly #weights: Float64Array;
  readonly #gaps: readonly GapTables[];

  readonly #components: SubstitutionComponents;
  readonly #plan: FeaturePlan;

  constructor(components: SubstitutionComponents, plan: FeaturePlan) {
    this.#components = components;
    this.#plan = plan;
    this.#weights = weightsOf(plan);
    this.#gaps = gapsOf(plan);
  }

  /**
   * Returns the vector of the residues `codes` (see encodeLetters): Float64 [dimension], not normalised. Pairs are counted within
   * consecutive windows of `window` residues. A sequence without known residues gives zeros.
   * The cost is O(length x 48) for the counts and about 150,000 operations for 1,024 features.
   */
  embed(codes: Uint8Array, window: number): Float64Array {
    const out = new Float64Array(this.#plan.dimension);
    const known = codes.reduce((count, code) => count + (code === unknownLetter ? 0 : 1), 0);
    if (known === 0) return out;
    const used = codes.some((code) => code >= standardLetters && code !== unknownLetter)
      ? unknownLetter
      : standardLetters;
    const wave = halfWave(codes.length);
    const waves = this.#countSingles(codes, wave);
    this.#centre(waves, known, used);
    this.#writeSingles(waves, used, out);
    for (const { gap, plain, waved } of this.#gaps) {
      this.#countPairs(codes, gap, window, wave);
      if (plain) this.#writePairs(this.#plain, plain, used, out);
      if (waved) this.#writePairs(this.#waved, waved, used, out);
    }
    damp(out, 1 / Math.sqrt(known), this.#weights);
    return out;
  }

  /** Counts the letters under each wave: [wave][letter]. */
  #countSingles(codes: Uint8Array, wave: Float64Array): Float64Array {
    const counts = new Float64Array((maxWave + 1) * columns);
    const period = 4 * codes.length;
    for (let i = 0; i < codes.length; i++) {
      counts[codes[i]]++;
      for (let m = 1, phase = 2 * i + 1; m <= maxWave; m++, phase += 2 * i + 1) {
        const within = phase % period;
        counts[m * columns + codes[i]] += wave[within > period / 2 ? period - within : within];
      }
    }
    return counts;
  }

  #centre(waves: Float64Array, known: number, used: number): void {
    const { values } = this.#components;
    for (let c = 0; c < componentCount; c++) {
      const at = c * columns;
      let sum = 0;
      for (let a = 0; a < used; a++) sum += waves[a] * values[at + a];
      for (let a = 0; a < used; a++) this.#centred[at + a] = values[at + a] - sum / known;
    }
  }

  #writeSingles(waves: Float64Array, used: number, out: Float64Array): void {
    for (const { component, wave, index } of this.#plan.singles) {
      const source = wave === 0 ? this.#components.values : this.#centred;
      let sum = 0;
      for (let a = 0; a < used; a++) sum += waves[wave * columns + a] * source[component * columns + a];
      out[index] = sum;
    }
  }

  #countPairs(codes: Uint8Array, gap: number, window: number, wave: Float64Array): void {
    const plain = this.#plain;
    const waved = this.#waved;
    plain.fill(0);
    waved.fill(0);
    for (let start = 0; start < codes.length; start += window) {
      const end = Math.min(start + window, codes.length);
      for (let i = start, j = start + gap; j < end; i++, j++) {
        const cell = codes[i] * countStride + codes[j];
        plain[cell]++;
        waved[cell] += wave[i + j + 1];
      }
    }
  }

  #writePairs(counts: Float64Array, pairs: PairTable, used: number, out: Float64Array): void {
    const centred = this.#centred;
    const halfway = this.#halfway;
    let current = -1;
    for (const { first, second, index } of pairs.features) {
      if (first !== current) {
        current = first;
        halfway.fill(0);
        for (let a = 0; a < used; a++) {
          const value = centred[first * columns + a];
          for (let b = 0, cell = a * countStride; b < used; b++, cell++) halfway[b] += value * counts[cell];
        }
      }
      let sum = 0;
      for (let b = 0; b < used; b++) sum += halfway[b] * centred[second * columns + b];
      out[index] = sum;
    }
  }
}

/** Turns each x into sign(x) |scale x|^(5/8) weight, which is computed only with square roots. */
function damp(vector: Float64Array, scale: number, weights: Float64Array): void {
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i]) * scale;
    const root = Math.sqrt(size);
    const eighth = Math.sqrt(Math.sqrt(root));
    vector[i] = (vector[i] < 0 ? -1 : 1) * root * eighth * weights[i];
  }
}
