import { ProblemError } from '@kindred/contracts';
import type { FeatureTable } from '@kindred/kernels/features';
import { wholeBytes } from '@kindred/kernels/formats';
import {
  type CategoryTable,
  categoryEncoder,
  featureMatrix,
  predictWith,
  type TreeEnsemble,
  type TreeWalker,
  toProbabilities,
  usedFeatures,
} from '@kindred/kernels/reranker';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import type { Memory } from '../../ground/memory.js';
import { createTreeWalker } from '../compute/tree-walker.js';
import type { RerankerRow } from '../../store/evaluation/rerankers.repository.js';
import { requireComputedFeatures, requireSameFeatures } from './feature-check.js';
import { type ModelFile, readModelFile } from './model-file.js';
import { yieldToEventLoop } from '../../ground/event-loop.js';

/** The event loop gets a turn after this many scored rows. */
const rowsAtOnce = 1024;

/** A booster is a loaded and checked model with its walker. */
export interface Booster {
  model: TreeEnsemble;
  /**
   * Gives scores in [0, 1], one per row; a row's score depends on that row alone.
   * @param iterations limits the booster to its first iterations; default all
   */
  score(table: FeatureTable, iterations?: number): Promise<Float64Array>;
}

type Loaded = { sha256: string; model: TreeEnsemble; walker: TreeWalker };
const kept = 4;
/** Recently used models are found by address and content, because the model of a row never changes. */
const recentlyUsed = () => new Map<string, Promise<Loaded>>();

/** The store has the models, and the memory keeps the ones that were used last. */
export interface BoosterContext {
  artifacts: ArtifactStore;
  memory: Memory;
}

/**
 * Loads the booster of a re-ranker and checks that the prediction set has its features.
 * @throws ProblemError schema_mismatch, conflict (features were not computed, or the file has changed),
 * artifact_not_found
 */
export async function openBooster(
  context: BoosterContext,
  row: RerankerRow,
  set: { id: string; parameters: Record<string, unknown> },
): Promise<Booster> {
  requireSameFeatures(row);
  const { model, walker } = await loaded(context, row);
  requireComputedFeatures(usedFeatures(model), set);
  const encode = categoryEncoder(model, row.category_values as CategoryTable);
  return {
    model,
    async score(table, iterations) {
      const scores = new Float64Array(table.rowCount);
      for (let start = 0; start < table.rowCount; start += rowsAtOnce) {
        if (start > 0) await yieldToEventLoop();
        const endExclusive = Math.min(start + rowsAtOnce, table.rowCount);
        const matrix = featureMatrix(model, encode, table, { start, endExclusive });
        scores.set(toProbabilities(model, predictWith(walker, model, matrix, { iterations })), start);
      }
      return scores;
    },
  };
}

async function loaded({ artifacts, memory }: BoosterContext, row: RerankerRow): Promise<Loaded> {
  const cache = memory.part(recentlyUsed);
  const key = `${row.id} ${row.model_sha256}`;
  const known = cache.get(key);
  cache.delete(key);
  const loading = known ?? load(artifacts, row);
  cache.set(key, loading);
  for (const oldest of cache.keys()) {
    if (cache.size <= kept) break;
    cache.delete(oldest);
  }
  try {
    return await loading;
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}

async function load(artifacts: ArtifactStore, row: RerankerRow): Promise<Loaded> {
  const { model, sha256 } = await readBooster(artifacts, row);
  if (sha256 !== row.model_sha256) {
    throw new ProblemError(
      'conflict',
      `The model at ${row.artifact_uri} is not the one that was registered as ${JSON.stringify(row.name)} (sha256 ${sha256}, registered ${row.model_sha256}). Register it again.`,
    );
  }
  return { sha256, model, walker: createTreeWalker(model) };
}

async function readBooster(artifacts: ArtifactStore, row: RerankerRow): Promise<ModelFile> {
  return readModelFile(await boosterBytes(artifacts, row));
}

/**
 * Reads the file of a booster, wherever it is kept.
 * @throws ProblemError as `readArtifact`
 */
export async function boosterBytes(
  artifacts: ArtifactStore,
  { model_data, artifact_uri, model_bytes }: Pick<RerankerRow, 'model_data' | 'artifact_uri' | 'model_bytes'>,
): Promise<Uint8Array> {
  if (model_data !== null) return Buffer.from(model_data);
  return readArtifact(artifacts, artifact_uri as string, model_bytes + 1);
}

/** @throws ProblemError payload_too_large beyond `maxBytes`; artifact_not_found, artifact_uri_refused */
export async function readArtifact(
  artifacts: ArtifactStore,
  uri: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const message = `${uri} is larger than ${maxBytes} bytes (SVC_MAX_UPLOAD_BYTES).`;
  return wholeBytes(artifacts.get(uri), maxBytes, () => new ProblemError('payload_too_large', message));
}
