import type { TreeEnsemble, TreeWalker } from '@kindred/kernels/reranker';
import { createWasmTreeWalker } from '@kindred/native';

/** The fastest walker of decision trees here; one for each thread. */
export function createTreeWalker(model: TreeEnsemble): TreeWalker {
  return createWasmTreeWalker(model);
}
