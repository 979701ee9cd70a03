import { closeSync, openSync, readSync } from 'node:fs';
import type { Metric } from '@kindred/kernels/knn';
import { type BankHeader, groupRows, type SectionName } from './format.js';
import { readBankHeader } from './reader.js';

/** A bank that is read from its file on demand. Its vectors stay in the system's file cache, which all processes share. */
export class BankFile {
  readonly header: BankHeader;
  readonly reference: Int32Array;
  readonly sequence: Int32Array;
  readonly rank: Int32Array;
  /** The Euclidean lengths of the rows. */
  readonly norms: Float64Array;
  /** The centre of the codes: Float32 [D]. */
  readonly mean: Float32Array;
  /** The maximum magnitude of each of a row's five numbers (see format.ts). */
  readonly limits: Readonly<Record<Metric, Float64Array>>;
  readonly #file: number;
  #closed = false;

  /** @throws RangeError if the file is not a complete bank of this version */
  constructor(path: string) {
    this.header = readBankHeader(path);
    this.#file = openSync(path, 'r');
    this.reference = new Int32Array(this.#section('reference'));
    this.sequence = new Int32Array(this.#section('sequence'));
    this.rank = new Int32Array(this.#section('rank'));
    this.norms = new Float64Array(this.#section('norms'));
    this.mean = new Float32Array(this.#section('mean'));
    const limits = new Float64Array(this.#section('limits'));
    this.limits = { cosine: limits.subarray(0, 5), l2: limits.subarray(5, 10) };
  }

  /** Fills `target` with whole rows, starting with row `first`. */
  readRows(first: number, target: Float32Array): void {
    if (this.#closed) throw new Error('the reference bank is closed');
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    this.#fill(bytes, this.header.sections.vectors.offset + first * this.header.dimension * 4);
  }

  /**
   * Fills `codes` with whole groups of sixteen rows, starting with group `first`, and `numbers` with their numbers for the
   * metric.
   */
  readGroups(first: number, metric: Metric, codes: Uint8Array, numbers: Float32Array): void {
    if (this.#closed) throw new Error('the reference bank is closed');
    const { sections, dimension } = this.header;
    this.#fill(codes, sections.codes.offset + first * Math.ceil(dimension / 4) * 4 * groupRows);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    this.#fill(bytes, sections[metric].offset + first * 5 * groupRows * 4);
  }

  close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }

  #section(name: SectionName): ArrayBuffer {
    const { offset, bytes } = this.header.sections[name];
    const out = new Uint8Array(new ArrayBuffer(bytes));
    this.#fill(out, offset);
    return out.buffer;
  }

  #fill(bytes: Uint8Array, offset: number): void {
    // One read returns at most 2 GiB.
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(this.#file, bytes, done, Math.min(bytes.length - done, 1 << 30), offset + done);
      if (got === 0) throw new RangeError('reference bank is cut short');
      done += got;
    }
  }
}
