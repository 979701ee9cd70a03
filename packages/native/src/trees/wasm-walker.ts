import { readFileSync } from 'node:fs';
import { rowsOf, type TreeEnsemble, type TreeWalker, usedIterations } from '@kindred/kernels/reranker';
import { reserveMemory, type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { blockRows, layOut } from './layout.js';

const chunkRows = 4096;

interface TreesModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  walk(run: number): void;
}

let compiled: WasmModule | undefined;

function instantiate(): TreesModule {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../../wasm/trees.wasm', import.meta.url)));
  return new webAssembly.Instance(compiled).exports as unknown as TreesModule;
}

/**
 * Sums leaves in WebAssembly; results are identical to createPlainWalker. In a tree of numeric splits with at most 64 leaves, all splits
 * are compared with 16 rows at once; of the leaves that the splits leave possible, a row's leaf is the leftmost. Eight rows at a time
 * walk down the other trees. Use one instance for each model and thread; its memory contains the model (24 bytes for each split or node)
 * and 4,096 rows.
 *
 * @cite Lucchese2015QuickScorer
 * @cite Asadi2014Trees
 */
export function createWasmTreeWalker(model: TreeEnsemble): TreeWalker {
  const module = instantiate();
  const layout = layOut(model);
  const width = model.featureNames.length;
  const outputs = model.treesPerIteration;
  let at = (module.__heap_base.value + 63) & ~63;
  const place = (bytes: number): number => {
    const start = at;
    at += (bytes + 63) & ~63;
    return start;
  };
  const runAt = place(64);
  const tables = [
    layout.nodes,
    layout.splits,
    layout.values,
    layout.leaves,
    layout.words,
    layout.trees,
    layout.columns,
  ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  const tablesAt = tables.map(({ byteLength }) => place(byteLength));
  const preparedAt = place(blockRows * layout.columnCount * 8);
  const sumsAt = place(chunkRows * outputs * 8);
  const featuresAt = place(chunkRows * width * 8);
  reserve(module.memory, at);
  const { buffer } = module.memory;
  tables.forEach((table, i) => {
    new Uint8Array(buffer).set(table, tablesAt[i]);
  });
  const head = new Uint32Array(buffer, runAt, 15);
  head.set([...tablesAt, featuresAt, preparedAt, sumsAt]);
  return {
    name: 'wasm',
    rawScores(features, options = {}) {
      const rows = rowsOf(features, width);
      const trees = usedIterations(model, options) * outputs;
      const result = new Float64Array(rows * outputs);
      for (let first = 0; first < rows; first += chunkRows) {
        const count = Math.min(chunkRows, rows - first);
        const sums = new Float64Array(buffer, sumsAt, count * outputs).fill(0);
        new Float64Array(buffer, featuresAt, count * width).set(
          features.subarray(first * width, (first + count) * width),
        );
        head.set([trees, layout.columnCount, width, count, outputs], 10);
        module.walk(runAt);
        result.set(sums, first * outputs);
      }
      return result;
    },
  };
}

function reserve(memory: WasmMemory, bytes: number): void {
  reserveMemory(
    memory,
    bytes,
    (megabytes) => `the model needs ${megabytes} MB of memory, but this is not available`,
  );
}
