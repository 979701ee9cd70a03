/** The contents of `models/network/layout.json`, as `training/network/export.py` writes it: the place of each tensor in `weights.bin`. */
export interface NetworkLayout {
  format: number;
  /** The letters; the place of a letter is its code. */
  alphabet: string;
  /** The code of every other letter. */
  unknown: number;
  /** The minimum number of residues, because training saw few shorter sequences. */
  shortest: number;
  /** The maximum number of residues of one window. */
  longest: number;
  heads: number;
  poolHeads: number;
  /** The number that is subtracted from the natural logarithm of the length. */
  usualLogLength: number;
  tensors: TensorPlace[];
}

interface TensorPlace {
  name: string;
  shape: number[];
  type: 'int8' | 'float32';
  /** The position of the first byte, a multiple of 4. */
  offset: number;
}

/** A matrix [rows, columns]. A weight is its int8 value times the scale of its row. */
export interface Matrix {
  rows: number;
  columns: number;
  values: Int8Array;
  scales: Float32Array;
}

export interface Dense {
  weight: Matrix;
  bias: Float32Array;
  /** The greatest integer of an input of this layer: it has at most 16 bits, and no sum of products exceeds 32. */
  levels: number;
}

export interface Norm {
  weight: Float32Array;
  bias: Float32Array;
}

/** The error for files of a network that do not belong together, or that another version wrote. */
export class NetworkFormatError extends Error {
  override readonly name = 'NetworkFormatError';
}

const supportedFormat = 1;

/** Tensors by name, as views of the bytes. */
export class Weights {
  readonly #places: Map<string, TensorPlace>;
  readonly #bytes: Uint8Array;

  /** @throws NetworkFormatError for another format, or fewer bytes than the layout describes */
  constructor(layout: NetworkLayout, bytes: Uint8Array) {
    if (layout.format !== supportedFormat)
      throw new NetworkFormatError(
        `the network has format ${String(layout.format)}, this version reads ${supportedFormat}: install the models that came with it`,
      );
    // Float32 views need an aligned start.
    this.#bytes = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    this.#places = new Map(layout.tensors.map((place) => [place.name, place]));
    const described = layout.tensors.reduce((most, place) => Math.max(most, endOf(place)), 0);
    if (this.#bytes.length < described)
      throw new NetworkFormatError(
        `the weights have ${this.#bytes.length} bytes, their layout describes ${described}: both files must come from one export`,
      );
  }

  vector(name: string): Float32Array {
    const { shape, offset } = this.#find(name, 'float32');
    return this.#floats(offset, shape[0]);
  }

  matrix(name: string): Matrix {
    const { shape, offset } = this.#find(name, 'int8');
    const [rows, columns] = shape;
    const start = this.#bytes.byteOffset + offset + 4 * rows;
    const values = new Int8Array(this.#bytes.buffer, start, rows * columns);
    return { rows, columns, values, scales: this.#floats(offset, rows) };
  }

  dense(name: string): Dense {
    const weight = this.matrix(`${name}.weight`);
    const levels = Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / greatestRow(weight)));
    return { weight, bias: this.vector(`${name}.bias`), levels };
  }

  norm(name: string): Norm {
    return { weight: this.vector(`${name}.weight`), bias: this.vector(`${name}.bias`) };
  }

  #floats(offset: number, length: number): Float32Array {
    return new Float32Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, length);
  }

  #find(name: string, type: TensorPlace['type']): TensorPlace {
    const place = this.#places.get(name);
    if (place?.type !== type)
      throw new NetworkFormatError(
        `the layout has no tensor "${name}" of type ${type}: both files must come from one export`,
      );
    return place;
  }
}

/** Returns the greatest sum of magnitudes of a row, at least 1. */
function greatestRow({ rows, columns, values }: Matrix): number {
  let greatest = 1;
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let i = row * columns; i < (row + 1) * columns; i++) sum += Math.abs(values[i]);
    greatest = Math.max(greatest, sum);
  }
  return greatest;
}

function endOf({ shape, type, offset }: TensorPlace): number {
  const size = shape.reduce((product, length) => product * length, 1);
  return offset + (type === 'float32' ? 4 * size : 4 * shape[0] + size);
}
