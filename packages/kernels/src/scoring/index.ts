export { scoreOfDistance } from './score.js';
export { transferTerms } from './transfer.js';
export type {
  Candidates,
  NeighbourList,
  ReferenceAnnotations,
  TransferInput,
  Transfers,
} from './types.js';
