import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { categoryFeatures } from '@kindred/kernels/features';
import { FormatError } from '@kindred/kernels/formats';
import {
  type CategoryTable,
  categoryTable,
  parseLightgbmModelInTurns,
  type TreeEnsemble,
} from '@kindred/kernels/reranker';
import { yieldToEventLoop, chunksYielding } from '../../ground/event-loop.js';

export interface ModelFile {
  model: TreeEnsemble;
  sha256: string;
  sizeBytes: number;
}

/**
 * Reads a booster and yields to the event loop. The booster must return one number per row.
 * @throws ProblemError bad_file naming the line
 */
export async function readModelFile(bytes: Uint8Array): Promise<ModelFile> {
  try {
    const model = await parseLightgbmModelInTurns(decoded(bytes), yieldToEventLoop);
    if (model.treesPerIteration !== 1)
      throw refused(
        `the model gives ${model.treesPerIteration} numbers a row (num_tree_per_iteration); a re-ranker gives one`,
      );
    const digest = createHash('sha256');
    for await (const piece of chunksYielding(bytes)) digest.update(piece);
    return { model, sha256: digest.digest('hex'), sizeBytes: bytes.byteLength };
  } catch (error) {
    if (error instanceof FormatError) throw refused(error.message, error);
    throw error;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw refused('line 1: the file is not UTF-8 text; expected a LightGBM text model', cause);
  }
}

function refused(reason: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_file', `model.txt: ${reason}`, {
    errors: [{ path: '/model.txt', message: reason, code: 'bad_file' }],
    cause,
  });
}

/**
 * Gives the values of the model's category features in the order of their codes: from the run record, else
 * from the model's own table.
 * @throws ProblemError bad_file if a category feature has no table, because its codes would have no meaning
 */
export function categoryValues(model: TreeEnsemble, stated: CategoryTable | null | undefined): CategoryTable {
  const categories = new Set(categoryFeatures.filter((name) => model.featureNames.includes(name)));
  if (categories.size === 0) return {};
  const missing = [...categories].filter((name) => !Object.hasOwn(stated ?? {}, name));
  if (stated && missing.length === 0)
    return Object.fromEntries([...categories].map((name) => [name, stated[name]]));
  if (model.pandasCategories === null) {
    throw refused(
      `the values of ${missing.join(', ')} are missing: train on a pandas table with category columns, or list them in run.json as features.categories`,
    );
  }
  try {
    return categoryTable(model, categories);
  } catch (error) {
    if (error instanceof RangeError) throw refused(error.message, error);
    throw error;
  }
}
