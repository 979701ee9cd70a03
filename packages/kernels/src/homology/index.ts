export { type CandidateOptions, type Candidates, CandidateSearch } from './candidates.js';
export {
  bitScore,
  blastScoring,
  blastStatistics,
  defaultStatistics,
  type GappedStatistics,
  logExpectValue,
  type SearchSpace,
  statisticsOf,
} from './expect.js';
export { buildWordIndex, type WordIndex } from './word-index.js';
