import { stat } from 'node:fs/promises';
import { ProblemError } from '@kindred/contracts';
import { sha256OfFile } from '../../ground/digest.js';
import { badVectorFile, type KeyedVector } from './keyed-vector.js';
import { detectVectorFormat, vectorReader } from './vector-file.js';

/** The vectors of GO terms are in shared memory. */
export interface GoTermVectors {
  sha256: string;
  dimension: number;
  /**
   * The map leads from each GO id to its row in `vectors`. Terms whose vector is all zeros have no direction,
   * and so no row.
   */
  rowOf: ReadonlyMap<string, number>;
  /** The vectors have length 1: Float32 [rows x dimension]. */
  vectors: Float32Array;
}

const maxDimension = 4096;
const maxNumbers = 2 ** 26;
const termsPerRead = 512;
const layouts =
  'Expected an .npz with the arrays go_ids and embeddings, an .npz with one array for each GO id, or lines of a GO id and its numbers separated by tabs or commas';

/**
 * Reads vectors of GO terms: an .npz (`go_ids` and `embeddings` [n x d], or one array for each GO id), or a
 * text file whose lines hold a GO id and its numbers. All vectors have the same dimension and finite numbers,
 * and no GO id appears twice. To limit memory, a file has at most 2^26 numbers; about 47,000 terms x 200 are
 * 2^23.
 * @throws ProblemError bad_file with the reason; conflict if the file changed while it was read
 */
export async function readGoTermVectors(path: string): Promise<GoTermVectors> {
  const before = await versionOf(path);
  const sha256 = await sha256OfFile(path);
  const format = await detectVectorFormat(path);
  if (format !== 'npz' && format !== 'csv') throw badVectorFile(`It is ${format}. ${layouts}`);
  const read = await vectorReader(format);
  const table = new GrowingTable();
  try {
    for await (const batch of read(path, termsPerRead)) for (const term of batch) table.add(term);
  } catch (error) {
    if (table.isEmpty && error instanceof ProblemError)
      throw badVectorFile(`${error.message} ${layouts}`, error);
    throw error;
  }
  if ((await versionOf(path)) !== before) {
    throw new ProblemError(
      'conflict',
      'The file of GO term vectors was changed while it was read; run the job again.',
    );
  }
  return { sha256, ...table.finish() };
}

/** Identifies the file's content: the result changes when the file does. */
export async function versionOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  return `${path} ${ino} ${size} ${mtimeMs}`;
}

class GrowingTable {
  readonly #seen = new Set<string>();
  readonly #rowOf = new Map<string, number>();
  readonly #units: Float32Array[] = [];
  #dimension = 0;

  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  add({ key, vector }: KeyedVector): void {
    if (!/^GO:\d{7}$/.test(key))
      throw badVectorFile(
        `Found ${JSON.stringify(key.slice(0, 40))} where a GO id such as GO:0008150 belongs`,
      );
    if (this.#seen.has(key)) throw badVectorFile(`${key} comes twice`);
    if (this.isEmpty) this.#dimension = vector.length;
    if (this.#dimension < 1 || this.#dimension > maxDimension)
      throw badVectorFile(`${key} has ${vector.length} numbers; expected 1 to ${maxDimension}`);
    if (vector.length !== this.#dimension)
      throw badVectorFile(`${key} has ${vector.length} numbers where the first term has ${this.#dimension}`);
    this.#seen.add(key);
    if (this.#seen.size * this.#dimension > maxNumbers)
      throw badVectorFile(`The file has more than ${maxNumbers} numbers`);
    let square = 0;
    for (const value of vector) square += value * value;
    if (!Number.isFinite(square)) throw badVectorFile(`The vector of ${key} has a number that is not finite`);
    if (square === 0) return;
    const length = Math.sqrt(square);
    this.#rowOf.set(key, this.#units.length);
    this.#units.push(Float32Array.from(vector, (value) => value / length));
  }

  finish(): Omit<GoTermVectors, 'sha256'> {
    const dimension = this.#dimension;
    const rowOf = this.#rowOf;
    const units = this.#units;
    if (units.length === 0) throw badVectorFile(`The file has no vector of a GO term. ${layouts}`);
    const vectors = new Float32Array(new SharedArrayBuffer(4 * units.length * dimension));
    units.forEach((unit, row) => {
      vectors.set(unit, row * dimension);
    });
    return { dimension, rowOf, vectors };
  }
}
