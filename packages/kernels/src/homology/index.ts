export { compositionCorrection, correctedLogEValue } from './composition.js';
export {
  bitScore,
  blastScoring,
  blastStatistics,
  defaultStatistics,
  type GappedStatistics,
  logEValue,
  minimumScore,
  type SearchSpace,
  statisticsOf,
} from './e-value.js';
export { lowComplexity } from './low-complexity.js';
export { createPlainCandidateFinder } from './plain-search.js';
export {
  type CandidateFinder,
  type CandidateOptions,
  type CandidateQueries,
  type CandidateTable,
  checkCandidateQueries,
  defaultMinimumSeed,
  defaultMinimumWindow,
} from './relative-search.js';
export {
  type RelativeSearch,
  type RelativeTable,
  searchSpaceOf,
  selfScore,
} from './relatives.js';
export {
  buildSeedIndex,
  narrowSeedIndex,
  placesOfWord,
  type SeedIndex,
  seedIndexFormat,
  type SeedIndexOptions,
  seedOffsets,
  seedWords,
} from './seed-index.js';
export { findRelatives, type StagedOptions } from './staged-search.js';
