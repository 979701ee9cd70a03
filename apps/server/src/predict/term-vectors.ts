import { basename } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type { TermVectors } from '@kindred/kernels/features';
import type { ReferenceBank } from './compute/reference-bank.js';
import { type GoTermVectors, readGoTermVectors, versionOf } from './vectors/go-term-vectors.js';
import { LastValue } from '../ground/last-value.js';
import type { OperationContext } from '../work/operation/operation.js';

type Context = Pick<OperationContext, 'settings' | 'memory'>;

const files = () => new LastValue<GoTermVectors>();

interface NumberedRows {
  last: { file: GoTermVectors; goIds: readonly string[]; row: Int32Array } | null;
}
const numberedRows = (): NumberedRows => ({ last: null });

/**
 * Gives the vectors of GO terms that the operator configured (SVC_ANC2VEC_FILE); null without a file. A
 * process reads a file once, and again when it has changed.
 * @throws ProblemError bad_file naming the setting and the fault
 */
export async function configuredTermVectors({ settings, memory }: Context): Promise<GoTermVectors | null> {
  const path = settings.anc2vecFile ?? null;
  if (path === null) return null;
  try {
    const version = await versionOf(path);
    return await memory.part(files).get(version, () => readGoTermVectors(path));
  } catch (error) {
    if (error instanceof ProblemError && error.code !== 'bad_file') throw error;
    throw new ProblemError(
      'bad_file',
      `The anc2vec file ${basename(path)} (SVC_ANC2VEC_FILE) can't be used: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * Gives the configured vectors with the term numbers of `bank`. `sha256` belongs to the file that the job
 * began with, so that all rows of a prediction set compare the same vectors; null means that the job began
 * without one.
 * @throws ProblemError conflict when this worker has another file
 */
export async function termVectorsOf(
  bank: Pick<ReferenceBank, 'texts'>,
  sha256: string | null,
  context: Context,
): Promise<TermVectors | null> {
  if (sha256 === null) return null;
  const file = await configuredTermVectors(context);
  if (file?.sha256 !== sha256) {
    throw new ProblemError(
      'conflict',
      `The job began with the anc2vec file of SHA-256 ${sha256}, but this worker has ${file === null ? 'none' : file.sha256}; give all workers the same SVC_ANC2VEC_FILE and run the job again.`,
    );
  }
  return {
    dimension: file.dimension,
    vectors: file.vectors,
    row: rowsOf(file, bank.texts.goIds, context.memory.part(numberedRows)),
  };
}

/** Gives the rows of the vectors for the terms of the last bank, in memory that the threads share. */
function rowsOf(file: GoTermVectors, goIds: readonly string[], numbered: NumberedRows): Int32Array {
  if (numbered.last?.file === file && numbered.last.goIds === goIds) return numbered.last.row;
  const row = new Int32Array(new SharedArrayBuffer(4 * goIds.length));
  goIds.forEach((goId, term) => {
    row[term] = file.rowOf.get(goId) ?? -1;
  });
  numbered.last = { file, goIds, row };
  return row;
}
