import { open } from 'node:fs/promises';
import { ProblemError } from '@kindred/contracts';
import type { BankHeader, CandidateGraph } from '@kindred/native';

export type GraphPackage = Pick<typeof import('usearch'), 'Index' | 'MetricKind' | 'ScalarKind'>;

const importPackage = (): Promise<GraphPackage> => import('usearch');

/**
 * The package is optional: only approximate searches need it.
 * @throws ProblemError backend_unavailable
 */
export async function loadGraphPackage(load = importPackage): Promise<GraphPackage> {
  try {
    return await load();
  } catch (cause) {
    throw new ProblemError(
      'backend_unavailable',
      'search hnsw needs the package usearch, which is not installed or does not load on this machine: install it, or leave search out to search exactly.',
      { cause },
    );
  }
}

/**
 * Makes an empty graph of Malkov & Yashunin over vectors of one length. Its settings decide the content of a
 * graph file.
 */
export async function emptyGraph(dimension: number, metric: 'cosine' | 'l2') {
  const { Index, MetricKind, ScalarKind } = await loadGraphPackage();
  return new Index({
    dimensions: dimension,
    metric: metric === 'cosine' ? MetricKind.Cos : MetricKind.L2sq,
    quantization: ScalarKind.F32,
    connectivity: 16,
    expansion_add: 128,
    // The library examines at least as many candidates as results are requested.
    expansion_search: 16,
    multi: false,
  });
}

/**
 * Maps a graph file; all processes share its pages.
 * @throws ProblemError if it does not belong to this bank
 */
export async function openGraph(
  file: string,
  { dimension, rows }: Pick<BankHeader, 'dimension' | 'rows'>,
  metric: 'cosine' | 'l2',
): Promise<CandidateGraph> {
  const index = await emptyGraph(dimension, metric);
  try {
    await checkShape(file, rows, dimension * Float32Array.BYTES_PER_ELEMENT);
    index.view(file);
  } catch (cause) {
    throw unusable(file, { cause });
  }
  return {
    nearest: (vector, count) => Int32Array.from(index.search(vector, count, 1).keys, Number),
  };
}

/**
 * A graph file begins with the number of vectors and the bytes of each, as uint32; the vectors follow. The
 * library trusts these numbers and would read past the end of a file of another kind, which ends the process.
 */
async function checkShape(file: string, rows: number, vectorBytes: number): Promise<void> {
  const handle = await open(file);
  try {
    const head = new Uint32Array(2);
    await handle.read(new Uint8Array(head.buffer), 0, 8, 0);
    const { size } = await handle.stat();
    if (head[0] !== rows || head[1] !== vectorBytes || size < 8 + rows * vectorBytes)
      throw new RangeError(
        `${size} bytes for ${head[0]} vectors of ${head[1]} bytes; expected ${rows} of ${vectorBytes}`,
      );
  } finally {
    await handle.close();
  }
}

function unusable(file: string, more: { cause?: unknown } = {}): ProblemError {
  return new ProblemError(
    'internal_error',
    `The graph of neighbours ${file} cannot be read, or is of another bank; delete it and run again.`,
    more,
  );
}
