import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { ReferenceBank } from './compute/reference-bank.js';
import { buildGraphTask } from './compute/tasks/build-graph.js';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import type { OperationContext } from '../work/operation/operation.js';

/** A search of the graph looks at this many candidates if the job names no number. */
export const defaultExpansion = 128;
/** About this many queries of a job are also searched exactly. */
export const recallSampleSize = 200;

/**
 * Gives the path of the graph of a bank, and builds the graph if it is missing. One process of a machine
 * builds it, and the others wait. The graph is stored and deleted with the vectors of the bank.
 */
export async function ensureNeighbourGraph(
  bank: ReferenceBank,
  metric: 'cosine' | 'l2',
  context: Pick<OperationContext, 'db' | 'compute' | 'emit' | 'signal'>,
): Promise<string> {
  const file = join(dirname(bank.vectorsFile), `vectors.${metric}.usearch`);
  if (await exists(file)) return file;
  return withAdvisoryLock(context.db, `graph ${hostname()} ${file}`, async () => {
    if (await exists(file)) return file;
    await context.emit('predict_go_terms.build_graph', { metric });
    const input = { vectorsFile: bank.vectorsFile, graphFile: file, metric };
    const { rows } = await context.compute.run(buildGraphTask, input, { signal: context.signal });
    await context.emit('predict_go_terms.build_graph_done', { metric, vectors: rows });
    return file;
  });
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Chooses the queries whose accessions hash below `share`, so that the batches do not matter. */
export function recallSample(queries: readonly { accession: string }[], share: number): Int32Array {
  return Int32Array.from(queries.keys()).filter(
    (query) =>
      createHash('sha256').update(queries[query].accession).digest().readUInt32BE(0) < share * 2 ** 32,
  );
}
