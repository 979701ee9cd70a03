import { ProblemError } from '@kindred/contracts';

/** A file stores a vector under its key: an accession, or the MD5 of the residues. */
export interface KeyedVector {
  key: string;
  /** The file stores this name with an MD5; null if it stores none. */
  name: string | null;
  vector: Float32Array;
}

/** Reads the vectors of a file on disk, in batches of at most `batchSize`. */
export type VectorReader = (path: string, batchSize: number) => AsyncIterable<KeyedVector[]>;

export function badVectorFile(text: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_file', `${text}.`, cause === undefined ? {} : { cause });
}

/**
 * A vector must be one row: [d] or [1, d].
 * @throws ProblemError bad_file for vectors of single residues
 */
export function checkOneVector(key: string, shape: readonly number[]): void {
  if (shape.length === 1 || (shape.length === 2 && shape[0] === 1)) return;
  throw badVectorFile(
    `${key} has an array of shape [${shape.join(', ')}] where one vector per protein is expected; pool the residues first`,
  );
}
