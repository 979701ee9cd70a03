import { ProblemError } from '@kindred/contracts';
import { maxFloat16, toFloat16 } from '@kindred/kernels/arrays';
import type { Queryable } from '../../store/postgres/db.js';
import type { EmbeddingConfigRow } from '../../store/embeddings/embedding-configs.repository.js';
import type { EmbeddingRows } from '../../store/embeddings/embeddings.repository.js';
import {
  sequencesOfAccessions,
  sequencesOfMd5,
} from '../../store/annotations/interpro-annotations.repository.js';
import type { KeyedVector } from '../vectors/keyed-vector.js';

const maxExamples = 50;
/**
 * If the configuration says that vectors are normalised, a vector's length may differ from 1 by this much,
 * because float16 rounds.
 */
const unitTolerance = 0.01;
const isMd5 = (key: string) => /^[0-9a-f]{32}$/i.test(key);

/** Finds the sequence of each vector of a file, and checks that the vector fits the configuration. */
export class VectorMatcher {
  read = 0;
  readonly #config: EmbeddingConfigRow;
  readonly #keys: 'auto' | 'accession' | 'md5';
  readonly #seen = new Set<number>();
  readonly #extra: string[] = [];
  #matched = 0;
  #unmatched = 0;
  #shared = 0;

  constructor(config: EmbeddingConfigRow, keys: 'auto' | 'accession' | 'md5') {
    this.#config = config;
    this.#keys = keys;
  }

  /**
   * Gives the rows to store. If several keys name one sequence, the first counts.
   * @throws ProblemError bad_file
   */
  async match(batch: readonly KeyedVector[], db: Queryable): Promise<EmbeddingRows> {
    const { dimension } = this.#config;
    const keyed = batch.map(({ key, vector }) => ({ key: unwrapped(key), vector }));
    const byMd5 = (key: string) => (this.#keys === 'auto' ? isMd5(key) : this.#keys === 'md5');
    const digests = keyed.filter(({ key }) => byMd5(key)).map(({ key }) => key.toLowerCase());
    const accessions = keyed.filter(({ key }) => !byMd5(key)).map(({ key }) => key);
    const ofDigest = digests.length === 0 ? new Map() : await sequencesOfMd5(db, digests);
    const ofAccession = accessions.length === 0 ? new Map() : await sequencesOfAccessions(db, accessions);
    const chosen: { sequenceId: number; vector: Float32Array }[] = [];
    for (const { key, vector } of keyed) {
      this.read++;
      this.#check(key, vector);
      const sequenceId = byMd5(key) ? ofDigest.get(key.toLowerCase()) : ofAccession.get(key);
      if (sequenceId === undefined) this.#miss(key);
      else if (this.#seen.has(sequenceId)) this.#shared++;
      else {
        this.#seen.add(sequenceId);
        this.#matched++;
        chosen.push({ sequenceId, vector });
      }
    }
    const vectors = new Uint16Array(chosen.length * dimension);
    chosen.forEach(({ vector }, row) => {
      vectors.set(toFloat16(vector).half, row * dimension);
    });
    return {
      dimension,
      sequenceIds: Float64Array.from(chosen, ({ sequenceId }) => sequenceId),
      chunkStart: new Int32Array(chosen.length),
      chunkEnd: new Int32Array(chosen.length).fill(-1),
      vectors,
    };
  }

  #check(key: string, vector: Float32Array): void {
    const { dimension, normalize } = this.#config;
    if (vector.length !== dimension) {
      throw new ProblemError(
        'bad_file',
        `The vector of ${key} has ${vector.length} numbers; the embedding configuration has ${dimension}.`,
      );
    }
    const bad = vector.findIndex((value) => !(Math.abs(value) <= maxFloat16));
    if (bad >= 0) {
      throw new ProblemError(
        'bad_file',
        `The vector of ${key} has ${vector[bad]} as number ${bad + 1}; vectors are kept as float16, up to ${maxFloat16}.`,
      );
    }
    if (!normalize) return;
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (Math.abs(length - 1) > unitTolerance) {
      throw new ProblemError(
        'bad_file',
        `The vector of ${key} has length ${length.toPrecision(4)}, but the configuration says that vectors are normalised; create one with normalize false.`,
      );
    }
  }

  #miss(key: string): void {
    this.#unmatched++;
    if (this.#extra.length < maxExamples) this.#extra.push(key.slice(0, 100));
  }

  result(): Record<string, unknown> {
    return {
      vectors_read: this.read,
      sequences_matched: this.#matched,
      keys_of_same_sequence: this.#shared,
      keys_not_in_database: this.#unmatched,
      extra_keys: this.#extra,
    };
  }
}

const unwrapped = (key: string) => /^(?:sp|tr)\|([^|]+)\|/.exec(key)?.[1] ?? key;
