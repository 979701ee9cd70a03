import type { TreeEnsemble, TreeWalker } from '@kindred/kernels/reranker';
import { createWasmTreeWalker } from '@kindred/native';

/** Creates the fastest walker of decision trees here. Each thread needs its own. */
export function createTreeWalker(model: TreeEnsemble): TreeWalker {
  return createWasmTreeWalker(model);
}
