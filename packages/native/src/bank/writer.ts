import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { type BankHeader, encodeHeader, groupRows, layOutBank, type SectionName } from './format.js';
import { Quantiser } from './quantise.js';

/** The number of rows that are quantised between two writes, a multiple of groupRows. */
const blockRows = 512;

export interface BankShape {
  dimension: number;
  rows: number;
  /** The arrays of VectorBank in @kindred/kernels/knn: Int32 [rows], [references], [references]. */
  reference: Int32Array;
  sequence: Int32Array;
  rank: Int32Array;
  /** Labels for the caller's ids, which are stored unchanged. */
  labels?: Uint8Array;
}

/**
 * Writes a reference bank: `append` blocks of rows in order, then `finish`. The memory is a few thousand rows. The file is not valid
 * until `finish` returns, so write to a temporary name and rename it. The cost is three passes over the file.
 */
export class BankWriter {
  readonly #header: BankHeader;
  readonly #file: number;
  readonly #hash: Hash;
  readonly #sums: Float64Array;
  #appended = 0;

  readonly #shape: BankShape;

  /** @throws RangeError if the lengths of the arrays are inconsistent */
  constructor(path: string, shape: BankShape) {
    this.#shape = shape;
    checkShape(shape);
    const { dimension, rows, sequence, labels } = shape;
    this.#header = layOutBank({
      dimension,
      rows,
      references: sequence.length,
      labelBytes: labels?.length ?? 0,
    });
    this.#hash = createHash('sha256').update(Uint8Array.from(encodeHeader(this.#header)));
    this.#sums = new Float64Array(dimension);
    this.#file = openSync(path, 'w+');
  }

  /**
   * @param vectors Float32, row-major, whole rows, finite @throws RangeError for incomplete rows, too many rows or a number that is not
   * finite
   */
  append(vectors: Float32Array): void {
    const { dimension, rows } = this.#shape;
    const count = vectors.length / dimension;
    if (!Number.isInteger(count))
      throw new RangeError(`${vectors.length} numbers are not whole rows of ${dimension}`);
    if (this.#appended + count > rows) throw new RangeError(`more than the ${rows} rows announced`);
    const norms = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0, at = row * dimension; i < dimension; i++, at++) {
        sum += vectors[at] * vectors[at];
        this.#sums[i] += vectors[at];
      }
      if (!Number.isFinite(sum))
        throw new RangeError(`row ${this.#appended + row} holds a number that is not finite`);
      norms[row] = Math.sqrt(sum);
    }
    this.#put('vectors', this.#appended * dimension * 4, vectors);
    this.#put('norms', this.#appended * 8, norms);
    this.#hash.update(asBytes(vectors));
    this.#appended += count;
  }

  /** Writes all derived sections, and the header last. @throws RangeError if rows are missing */
  finish(): BankHeader {
    const steps = this.#finishing();
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Finishes as `finish` does, but yields to the event loop between blocks of rows, because a large bank takes a minute. */
  async finishInTurns(): Promise<BankHeader> {
    const steps = this.#finishing();
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  *#finishing(): Generator<void, BankHeader> {
    const { reference, sequence, rank, labels, rows } = this.#shape;
    if (this.#appended !== rows) throw new RangeError(`${this.#appended} of ${rows} rows were given`);
    for (const [name, array] of Object.entries({
      reference,
      sequence,
      rank,
      labels: labels ?? new Uint8Array(0),
    })) {
      this.#put(name as SectionName, 0, array);
      this.#hash.update(asBytes(array));
    }
    const mean = Float32Array.from(this.#sums, (sum) => sum / rows);
    this.#put('mean', 0, mean);
    yield* this.#quantise(mean);
    const { offset, bytes } = this.#header.sections.limits;
    const end = offset + Math.ceil(bytes / 64) * 64;
    writeSync(this.#file, Buffer.alloc(end - offset - bytes), 0, end - offset - bytes, offset + bytes);
    const header = { ...this.#header, contentHash: this.#hash.digest('hex') };
    writeSync(this.#file, encodeHeader(header), 0, undefined, 0);
    closeSync(this.#file);
    return header;
  }

  /** Closes the incomplete file, which is then not a valid bank. */
  abandon(): void {
    closeSync(this.#file);
  }

  *#quantise(mean: Float32Array): Generator<void> {
    const { dimension, rows } = this.#shape;
    const quantiser = new Quantiser(mean);
    const codeBytes = Math.ceil(dimension / 4) * 64;
    const codes = new Uint8Array((blockRows / groupRows) * codeBytes);
    const cosine = new Float32Array((blockRows / groupRows) * 5 * groupRows);
    const l2 = new Float32Array(cosine.length);
    for (let first = 0; first < rows; first += blockRows) {
      const count = Math.min(blockRows, rows - first);
      const vectors = new Float32Array(this.#take('vectors', first * dimension * 4, count * dimension * 4));
      const norms = new Float64Array(this.#take('norms', first * 8, count * 8));
      const groups = Math.ceil(count / groupRows);
      for (let g = 0; g < groups; g++) {
        const end = Math.min(count, (g + 1) * groupRows);
        const part = quantiser.group(
          vectors.subarray(g * groupRows * dimension, end * dimension),
          norms.subarray(g * groupRows, end),
        );
        codes.set(part.codes, g * codeBytes);
        cosine.set(part.cosine, g * 5 * groupRows);
        l2.set(part.l2, g * 5 * groupRows);
      }
      const group = first / groupRows;
      this.#put('codes', group * codeBytes, codes.subarray(0, groups * codeBytes));
      this.#put('cosine', group * 320, cosine.subarray(0, groups * 80));
      this.#put('l2', group * 320, l2.subarray(0, groups * 80));
      yield;
    }
    this.#put('limits', 0, Float64Array.of(...quantiser.limits.cosine, ...quantiser.limits.l2));
  }

  #put(name: SectionName, at: number, array: ArrayBufferView): void {
    const bytes = asBytes(array);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(
        this.#file,
        bytes,
        done,
        bytes.length - done,
        this.#header.sections[name].offset + at + done,
      );
    }
  }

  #take(name: SectionName, at: number, length: number): ArrayBuffer {
    const bytes = new Uint8Array(new ArrayBuffer(length));
    for (let done = 0; done < length; ) {
      const got = readSync(
        this.#file,
        bytes,
        done,
        length - done,
        this.#header.sections[name].offset + at + done,
      );
      if (got === 0) throw new Error('the reference bank was cut short while it was written');
      done += got;
    }
    return bytes.buffer;
  }
}

function asBytes(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function checkShape({ dimension, rows, reference, sequence, rank }: BankShape): void {
  const whole =
    Number.isInteger(dimension) &&
    Number.isInteger(rows) &&
    dimension >= 1 &&
    dimension <= 65_536 &&
    rows >= 1;
  if (!whole || rows > 2 ** 31 - 32)
    throw new RangeError(`a bank of ${rows} rows of dimension ${dimension} cannot be written`);
  if (reference.length !== rows)
    throw new RangeError(`${rows} rows, but reference names ${reference.length}`);
  if (sequence.length !== rank.length || sequence.length < 1) {
    throw new RangeError(`sequence names ${sequence.length} references, rank ${rank.length}`);
  }
  const stray = reference.findIndex((r) => r < 0 || r >= sequence.length);
  if (stray >= 0)
    throw new RangeError(`row ${stray} belongs to reference ${reference[stray]} of ${sequence.length}`);
  const unknown = sequence.findIndex((s) => s < 0);
  if (unknown >= 0) throw new RangeError(`reference ${unknown} has sequence number ${sequence[unknown]}`);
}
