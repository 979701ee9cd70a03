import { ProblemError, type Runner, type RunnerInput, type RunnerOutput } from '@kindred/contracts';
import { FormatError } from '@kindred/kernels/formats';
import {
  categoryEncoder,
  categoryTable,
  createPlainWalker,
  featureMatrix,
  parseLightgbmModel,
  predictWith,
  type TreeEnsemble,
  toProbabilities,
} from '@kindred/kernels/reranker';
import { type Candidates, transferNeighbours } from '@kindred/kernels/scoring';
import { neighbourFeatures, neighbourFeatureTable } from './features.js';
import { type Parameters, parameters } from './parameters.js';

const rowsAtOnce = 4096;

/** The runner predicts the candidates of the nearest neighbours, scored by a booster from features of neighbours and annotations. */
export const runner: Runner = {
  run: async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    const { model: text, num_iteration: iterations } = chosen(input);
    const model = readModel(text);
    const candidates = transferNeighbours(input, signal);
    if (model.featureNames.includes('aspect') && !input.termAspect)
      throw new RangeError('the model uses the aspect of terms, but termAspect is missing');
    const table = neighbourFeatureTable(input, candidates);
    const encode = categoryEncoder(model, model.featureNames.includes('aspect') ? aspectTable(model) : {});
    const walker = createPlainWalker(model);
    const score = new Float64Array(table.rowCount);
    for (let start = 0; start < table.rowCount; start += rowsAtOnce) {
      signal?.throwIfAborted();
      const endExclusive = Math.min(start + rowsAtOnce, table.rowCount);
      const matrix = featureMatrix(model, encode, table, { start, endExclusive });
      score.set(toProbabilities(model, predictWith(walker, model, matrix, { iterations })), start);
    }
    return byScore(candidates, score);
  },
};

function chosen(input: RunnerInput): Parameters {
  const result = parameters.safeParse(input.parameters ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
  throw new ProblemError(
    'validation_failed',
    `The runner lightgbm needs the parameter model, the text of a booster: ${faults}.`,
  );
}

/**
 * @throws ProblemError bad_file for a text that is not a booster; schema_mismatch for a booster that needs other features
 */
function readModel(text: string): TreeEnsemble {
  const model = parsed(text);
  if (model.treesPerIteration !== 1)
    throw new ProblemError('bad_file', 'The model gives several numbers a row; a runner needs one.');
  const others = model.featureNames.filter((name) => !neighbourFeatures.includes(name));
  if (others.length === 0) return model;
  throw new ProblemError(
    'schema_mismatch',
    `The model uses ${others.slice(0, 5).join(', ')}, which do not follow from neighbours alone; a runner has ${neighbourFeatures.join(', ')}.`,
  );
}

function parsed(text: string): TreeEnsemble {
  try {
    return parseLightgbmModel(text);
  } catch (error) {
    if (error instanceof FormatError)
      throw new ProblemError('bad_file', `The model can't be read: ${error.message}.`, { cause: error });
    throw error;
  }
}

function aspectTable(model: TreeEnsemble) {
  try {
    return categoryTable(model, new Set(['aspect']));
  } catch (error) {
    throw new ProblemError('bad_file', `The model does not tell its aspects: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Orders the output by query, then by falling score. Equal scores keep the order of the nearest neighbours. */
function byScore(candidates: Candidates, score: Float64Array): RunnerOutput {
  const rows = Array.from(score, (value, row) => ({ row, value, query: candidates.query[row] ?? 0 }));
  rows.sort((a, b) => a.query - b.query || b.value - a.value || a.row - b.row);
  const taken = <T extends Int32Array | Float32Array | Float64Array>(column: T): T => {
    const own = column.slice() as T;
    rows.forEach(({ row }, place) => own.set(column.subarray(row, row + 1), place));
    return own;
  };
  return {
    query: taken(candidates.query),
    term: taken(candidates.term),
    score: taken(score),
    source: taken(candidates.source),
    distance: taken(candidates.distance),
  };
}
