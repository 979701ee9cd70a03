export { cosineDistance, distanceBetween, squaredDistance } from './distance.js';
export { groupReferences, type SequenceGroups } from './groups.js';
export { searchNaive } from './naive.js';
export { NearestLists } from './nearest.js';
export { search } from './search.js';
export type { Metric, Neighbours, QueryBank, VectorBank, SearchOptions } from './types.js';
