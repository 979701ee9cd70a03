import { rename, rm } from 'node:fs/promises';
import { BankFile } from '@kindred/native';
import { emptyGraph } from '../neighbour-graph.js';
import { task, type TaskControl } from '../../../ground/pool/pool.js';

export interface BuildGraphInput {
  vectorsFile: string;
  graphFile: string;
  metric: 'cosine' | 'l2';
}

/** A block has this many rows, some tens of milliseconds of work, so that a cancelled job ends soon. */
const blockRows = 64;

/**
 * Puts the vectors of a bank into a graph, which appears whole or not at all. One thread adds them in the
 * order of the bank, so that every machine that builds the graph gets the same one.
 */
async function buildGraph(input: BuildGraphInput, control: TaskControl): Promise<{ rows: number }> {
  const bank = new BankFile(input.vectorsFile);
  try {
    const { rows, dimension } = bank.header;
    const graph = await emptyGraph(dimension, input.metric);
    for (let first = 0; first < rows; first += blockRows) {
      if (control.aborted()) throw new DOMException('the graph was cancelled', 'AbortError');
      const count = Math.min(blockRows, rows - first);
      const block = new Float32Array(count * dimension);
      bank.readRows(first, block);
      const keys = BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
      graph.add(keys, block, 1);
      control.progress(first + count, rows);
    }
    const draft = `${input.graphFile}.${process.pid}.draft`;
    try {
      graph.save(draft);
      await rename(draft, input.graphFile);
    } finally {
      await rm(draft, { force: true });
    }
    return { rows };
  } finally {
    bank.close();
  }
}

export const buildGraphTask = task(import.meta.url, buildGraph);
