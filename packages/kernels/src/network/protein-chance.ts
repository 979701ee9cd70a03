import { localColumns, localFeatureCount, localFeatures, localLogOdds } from './local-statistics.js';
import { applied, type FloatLayer, NoiseNet } from './noise-net.js';
import { NetworkFormatError } from './weights.js';

/** The head of `models/network/chance.bin`, as `training/network/chance.mjs` writes it; the tensors follow in its order as float32. */
interface ChanceHead {
  format: number;
  floor: number;
  tensors: { name: string; shape: number[] }[];
}

const supportedFormat = 1;
const blocks = 4;
/** The minimum number of residues, as of the sequence network. */
const shortest = 30;

/** The tensors of `models/network/chance.bin` by name. */
export class ChanceFile {
  readonly floor: number;
  readonly #view: DataView;
  readonly #places = new Map<string, { start: number; length: number }>();

  /** @throws NetworkFormatError for another file */
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headLength = bytes.length < 4 ? Number.POSITIVE_INFINITY : this.#view.getUint32(0, true);
    if (4 + headLength > bytes.length) throw notOfThisVersion();
    const head = readHead(bytes.subarray(4, 4 + headLength));
    this.floor = head.floor;
    let start = 4 + headLength;
    for (const { name, shape } of head.tensors) {
      const length = shape.reduce((product, size) => product * size, 1);
      this.#places.set(name, { start, length });
      start += 4 * length;
    }
    if (start !== bytes.length) throw notOfThisVersion();
  }

  tensor(name: string): Float32Array {
    const place = this.#places.get(name);
    if (place === undefined) throw notOfThisVersion();
    return Float32Array.from({ length: place.length }, (_, i) =>
      this.#view.getFloat32(place.start + 4 * i, true),
    );
  }

  layer(name: string): FloatLayer {
    return { weight: this.tensor(`${name}.weight`), bias: this.tensor(`${name}.bias`) };
  }

  noiseNet(): NoiseNet {
    return new NoiseNet({
      stem: this.layer('net.stem'),
      blocks: Array.from({ length: blocks }, (_, i) => this.layer(`net.blocks.${i}`)),
      position: this.layer('net.position'),
      inner: this.layer('net.inner'),
      outer: this.layer('net.outer'),
    });
  }
}

/**
 * The chance that a sequence is a protein and no noise: of the sequence network's vector, of statistics of residues near each other, and of
 * a small network that learnt proteins beside noise, by one hidden layer. It is a rank rather than a rate, because it learnt noise and
 * proteins with the same weight: compare it with the floor.
 */
export class ProteinChance {
  /** The chance above which a sequence counts as a protein. */
  readonly floor: number;
  readonly #local: { weights: Float32Array; bias: number };
  readonly #net: NoiseNet;
  readonly #mean: Float32Array;
  readonly #deviation: Float32Array;
  readonly #inner: FloatLayer;
  readonly #outer: FloatLayer;

  private constructor(file: ChanceFile) {
    this.floor = file.floor;
    this.#local = { weights: file.tensor('local.weight'), bias: file.tensor('local.bias')[0] };
    if (this.#local.weights.length !== localFeatureCount) throw notOfThisVersion();
    this.#net = file.noiseNet();
    this.#mean = file.tensor('mean');
    this.#deviation = file.tensor('deviation');
    this.#inner = file.layer('inner');
    this.#outer = file.layer('outer');
  }

  /**
   * @param bytes the contents of `models/network/chance.bin`
   * @throws NetworkFormatError for another file
   */
  static parse(bytes: Uint8Array): ProteinChance {
    return new ProteinChance(new ChanceFile(bytes));
  }

  /**
   * @param sequence upper-case residue letters; those of fewer than 30 residues have no chance: 0
   * @param vector the vector of the sequence network for this sequence
   * @returns 0 to 1
   */
  chance(sequence: string, vector: Float32Array): number {
    if (sequence.length < shortest) return 0;
    const local = localColumns(localLogOdds(localFeatures(sequence), this.#local), sequence.length);
    const columns = [...vector, ...local, this.#net.logOdds(sequence)];
    if (columns.length !== this.#mean.length)
      throw new RangeError(`a vector of ${vector.length} values is not of the network of this file`);
    const scaled = columns.map((value, i) => (value - this.#mean[i]) / this.#deviation[i]);
    const units = applied(scaled, this.#inner).map((value) => Math.max(0, value));
    return 1 / (1 + Math.exp(-applied(units, this.#outer)[0]));
  }
}

function readHead(bytes: Uint8Array): ChanceHead {
  let head: ChanceHead;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes)) as ChanceHead;
  } catch {
    throw notOfThisVersion();
  }
  if (head.format !== supportedFormat) throw notOfThisVersion();
  return head;
}

const notOfThisVersion = (): NetworkFormatError =>
  new NetworkFormatError(
    'the chance of a protein cannot be read: install the file models/network/chance.bin that came with this version',
  );
