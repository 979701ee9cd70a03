export { cafaScore, cafaTermsPerProtein } from './cafa-score.js';
export {
  compositeScore,
  flagsOfRecipe,
  minWeight,
  type ScoringRecipe,
  scoringSignals,
  type SignalFlag,
  type SignalName,
  signalNames,
  type SignalSource,
} from './composite.js';
export { evidenceWeight, weightedEvidenceCodes } from './evidence-weights.js';
export { type ScoringPreset, scoringPresets } from './presets.js';
export { scoreOfDistance } from './score.js';
export { commonTermShare, type RankedTerm, tieOrder } from './tie-order.js';
export { transferTerms } from './transfer.js';
export { type NeighboursWithTerms, transferNeighbours } from './transfer-neighbours.js';
export type {
  Candidates,
  NeighbourList,
  ReferenceAnnotations,
  TransferInput,
  Transfers,
} from './types.js';
export { propagateTerms, type PropagatedTerms, type TermShares, termShares } from './term-shares.js';
export {
  type OwnVote,
  type VotedTerms,
  type VoteOptions,
  type WeightedNeighbours,
  WeightedVotes,
} from './weighted-votes.js';
