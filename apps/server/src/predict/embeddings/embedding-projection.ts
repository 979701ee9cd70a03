import { createHash } from 'node:crypto';
import { type Projection, projectionAxes } from '@kindred/kernels/features';
import { projectionTask } from '../compute/tasks/projection.js';
import { withAdvisoryLock } from '../../store/postgres/advisory-lock.js';
import {
  type EmbeddingProjectionRow,
  findProjection,
  keepProjection,
  sampledSequences,
} from '../../store/embeddings/embedding-projection.repository.js';
import { vectorsOf } from '../../store/references/reference-bank.repository.js';
import { decodeVector } from '../banks/ensure-reference-bank.js';
import type { OperationContext } from '../../work/operation/operation.js';

const sampleSize = 4096;
const sequencesPerRead = 512;

/**
 * Gives the principal axes of the vectors of an embedding configuration. The first call fits them on up to
 * 4,096 sequences of the catalogue and stores them, because a model must always read coordinates along the
 * axes that it was trained with. One process fits, and the others wait.
 */
export async function ensureProjection(
  config: { number: number; dimension: number },
  context: Pick<OperationContext, 'db' | 'compute' | 'signal'>,
): Promise<EmbeddingProjectionRow> {
  const { db } = context;
  const known = await findProjection(db, config.number);
  if (known !== undefined) return known;
  return withAdvisoryLock(db, `projection ${config.number}`, async () => {
    const meanwhile = await findProjection(db, config.number);
    if (meanwhile !== undefined) return meanwhile;
    const ids = await sampledSequences(db, config.number, sampleSize);
    const vectors = await sequenceVectors(config, ids, context);
    const { axes, mean, components } = await context.compute.run(
      projectionTask,
      { vectors, dimension: config.dimension, axes: projectionAxes },
      { signal: context.signal },
    );
    const [meanBytes, componentBytes] = [bytesOf(mean), bytesOf(components)];
    return keepProjection(db, {
      embedding_config_number: config.number,
      sampled_sequences: ids.length,
      axes,
      mean: meanBytes,
      components: componentBytes,
      content_sha256: createHash('sha256').update(meanBytes).update(componentBytes).digest('hex'),
    });
  });
}

/** Gives the projection in the form that the kernels expect. */
export function projectionOf(row: EmbeddingProjectionRow, dimension: number): Projection {
  const numbers = (bytes: Buffer) =>
    new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return { dimension, axes: row.axes, mean: numbers(row.mean), components: numbers(row.components) };
}

function bytesOf(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Reads one vector for each sequence, in the order of `ids`: the mean of its chunks. */
async function sequenceVectors(
  config: { number: number; dimension: number },
  ids: number[],
  { db, signal }: Pick<OperationContext, 'db' | 'signal'>,
): Promise<Float32Array> {
  const { dimension, number } = config;
  const sums = new Float64Array(ids.length * dimension);
  const chunks = new Int32Array(ids.length);
  const place = new Map(ids.map((id, at) => [id, at]));
  for (let start = 0; start < ids.length; start += sequencesPerRead) {
    signal.throwIfAborted();
    for (const row of await vectorsOf(db, number, ids.slice(start, start + sequencesPerRead))) {
      const at = place.get(row.sequence_id) as number;
      const vector = decodeVector(row.embedding);
      chunks[at]++;
      for (let d = 0; d < dimension; d++) sums[at * dimension + d] += vector[d];
    }
  }
  return Float32Array.from(sums, (sum, i) => sum / chunks[Math.floor(i / dimension)]);
}
