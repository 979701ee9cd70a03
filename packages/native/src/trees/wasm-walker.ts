import { readFileSync } from 'node:fs';
import { rowsOf, type TreeEnsemble, type TreeWalker, usedIterations } from '@kindred/kernels/reranker';
import { type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { layOut } from './layout.js';

const pageBytes = 65_536;
const blockRows = 32;
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
 * Walks eight rows at a time down each tree in WebAssembly; results are identical to createPlainWalker. Use one instance per
 * model and thread; its memory contains the model (24 bytes per node) and 4,096 rows.
 *
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
  const nodesAt = place(layout.nodes.byteLength);
  const valuesAt = place(layout.values.byteLength);
  const wordsAt = place(layout.words.byteLength);
  const treesAt = place(layout.trees.byteLength);
  const columnsAt = place(layout.columns.byteLength);
  const preparedAt = place(blockRows * layout.columnCount * 8);
  const sumsAt = place(chunkRows * outputs * 8);
  const featuresAt = place(chunkRows * width * 8);
  reserve(module.memory, at);
  const { buffer } = module.memory;
  new Uint8Array(buffer).set(new Uint8Array(layout.nodes), nodesAt);
  new Float64Array(buffer, valuesAt, layout.values.length).set(layout.values);
  new Uint32Array(buffer, wordsAt, layout.words.length).set(layout.words);
  new Uint32Array(buffer, treesAt, layout.trees.length).set(layout.trees);
  new Uint32Array(buffer, columnsAt, layout.columns.length).set(layout.columns);
  const head = new Uint32Array(buffer, runAt, 13);
  head.set([nodesAt, valuesAt, wordsAt, treesAt, columnsAt, featuresAt, preparedAt, sumsAt]);
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
        head.set([trees, layout.columnCount, width, count, outputs], 8);
        module.walk(runAt);
        result.set(sums, first * outputs);
      }
      return result;
    },
  };
}

function reserve(memory: WasmMemory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing <= 0) return;
  try {
    memory.grow(Math.ceil(missing / pageBytes));
  } catch (cause) {
    throw new RangeError(
      `the model needs ${Math.ceil(bytes / 1e6)} MB of memory, but this is not available`,
      {
        cause,
      },
    );
  }
}
