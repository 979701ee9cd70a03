/** A layer: weights [outputs, inputs], for a convolution [outputs, inputs, taps]. */
export interface FloatLayer {
  weight: Float32Array;
  bias: Float32Array;
}

/** The layers of `training/network/noise_net.py`; the dilation of block i is 2^i. */
export interface NoiseNetLayers {
  stem: FloatLayer;
  blocks: FloatLayer[];
  position: FloatLayer;
  inner: FloatLayer;
  outer: FloatLayer;
}

const letters = 'ACDEFGHIKLMNPQRSTVWYX';
const codeOf = new Uint8Array(128).fill(letters.indexOf('X'));
for (const [code, letter] of [...letters].entries()) codeOf[letter.charCodeAt(0)] = code;

/** A block keeps its weights as float64, [outputs, taps, inputs], because converting each at its use takes longer. */
interface Block {
  weight: Float64Array;
  bias: Float32Array;
  taps: number;
  dilation: number;
}

/** A small convolutional network, from residues to the log odds that they are a protein and no noise made of one. */
export class NoiseNet {
  readonly #layers: NoiseNetLayers;
  readonly #channels: number;
  readonly #stem: Float32Array;
  readonly #stemTaps: number;
  readonly #blocks: Block[];

  constructor(layers: NoiseNetLayers) {
    this.#layers = layers;
    const channels = layers.stem.bias.length;
    this.#channels = channels;
    this.#stemTaps = layers.stem.weight.length / channels / letters.length;
    // The stem sums one column for each tap, so that the weights of a letter and a tap lie together.
    this.#stem = turned(layers.stem.weight, [channels, letters.length, this.#stemTaps], [2, 1, 0]);
    this.#blocks = layers.blocks.map(({ weight, bias }, i) => {
      const taps = weight.length / channels / channels;
      return {
        weight: Float64Array.from(turned(weight, [channels, channels, taps], [0, 2, 1])),
        bias,
        taps,
        dilation: 2 ** i,
      };
    });
  }

  /** @param sequence upper-case residue letters, at least one; a letter that is not a residue counts as X */
  logOdds(sequence: string): number {
    let x = this.#begun(sequence);
    for (const block of this.#blocks) x = this.#added(x, block);
    const { position, inner, outer } = this.#layers;
    const pooled = meansAndMaxima(x, position, this.#channels);
    return applied(applied(pooled, inner).map(relu), outer)[0];
  }

  #begun(sequence: string): Float32Array {
    const channels = this.#channels;
    const reach = (this.#stemTaps - 1) / 2;
    const { bias } = this.#layers.stem;
    const x = new Float32Array(sequence.length * channels);
    const sums = new Float64Array(channels);
    for (let at = 0; at < sequence.length; at++) {
      sums.set(bias);
      for (let tap = 0; tap < this.#stemTaps; tap++) {
        const from = at + tap - reach;
        if (from < 0 || from >= sequence.length) continue;
        const column = (tap * letters.length + codeOf[sequence.charCodeAt(from) & 127]) * channels;
        for (let c = 0; c < channels; c++) sums[c] += this.#stem[column + c];
      }
      for (let c = 0; c < channels; c++) x[at * channels + c] = relu(sums[c]);
    }
    return x;
  }

  /** Adds a block to what it reads: x + relu(convolution of x). */
  #added(x: Float32Array, { weight, bias, taps, dilation }: Block): Float32Array {
    const channels = this.#channels;
    const reach = (dilation * (taps - 1)) / 2;
    const length = x.length / channels;
    const row = taps * channels;
    const result = Float32Array.from(x);
    const seen = new Float64Array(row);
    for (let at = 0; at < length; at++) {
      for (let tap = 0; tap < taps; tap++) {
        const from = at + tap * dilation - reach;
        if (from < 0 || from >= length) seen.fill(0, tap * channels, (tap + 1) * channels);
        else seen.set(x.subarray(from * channels, (from + 1) * channels), tap * channels);
      }
      // Four channels share each read of what is seen, which takes less than half of the time of one after the other.
      for (let out = 0; out < channels; out += 4) {
        let [a, b, c, d] = [bias[out], bias[out + 1], bias[out + 2], bias[out + 3]];
        const start = out * row;
        for (let i = 0; i < row; i++) {
          const value = seen[i];
          a += weight[start + i] * value;
          b += weight[start + row + i] * value;
          c += weight[start + 2 * row + i] * value;
          d += weight[start + 3 * row + i] * value;
        }
        const place = at * channels + out;
        result[place] += relu(a);
        result[place + 1] += relu(b);
        result[place + 2] += relu(c);
        result[place + 3] += relu(d);
      }
    }
    return result;
  }
}

const relu = (value: number): number => Math.max(0, value);

/** Applies a layer to one vector. */
export function applied(x: ArrayLike<number>, { weight, bias }: FloatLayer): Float64Array {
  return Float64Array.from(bias, (start, out) => {
    let sum = start;
    for (let i = 0; i < x.length; i++) sum += weight[out * x.length + i] * x[i];
    return sum;
  });
}

/** Applies the layer of each position, and returns the means of its outputs over the positions, then their maxima. */
function meansAndMaxima(x: Float32Array, layer: FloatLayer, channels: number): Float64Array {
  const outputs = layer.bias.length;
  const pooled = new Float64Array(2 * outputs);
  const length = x.length / channels;
  for (let at = 0; at < length; at++) {
    const values = applied(x.subarray(at * channels, (at + 1) * channels), layer);
    for (let out = 0; out < outputs; out++) {
      const value = relu(values[out]);
      pooled[out] += value / length;
      pooled[outputs + out] = Math.max(pooled[outputs + out], value);
    }
  }
  return pooled;
}

/** Returns an array [a, b, c] with its axes in another order. */
function turned(array: Float32Array, shape: readonly number[], order: readonly number[]): Float32Array {
  const result = new Float32Array(array.length);
  const place = [0, 0, 0];
  let at = 0;
  for (place[0] = 0; place[0] < shape[0]; place[0]++)
    for (place[1] = 0; place[1] < shape[1]; place[1]++)
      for (place[2] = 0; place[2] < shape[2]; place[2]++) {
        const [a, b, c] = order;
        result[(place[a] * shape[b] + place[b]) * shape[c] + place[c]] = array[at++];
      }
  return result;
}
