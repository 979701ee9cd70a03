export { cafaScore, cafaTermsPerProtein } from './cafa-score.js';
export { scoreOfDistance } from './score.js';
export { commonTermShare } from './tie-order.js';
export { transferTerms } from './transfer.js';
export type {
  Candidates,
  NeighbourList,
  ReferenceAnnotations,
  TransferInput,
  Transfers,
} from './types.js';
