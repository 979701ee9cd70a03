export { averageLinkage, type Clustering, type Merge } from './average-linkage.js';
export { chiSquareTail } from './chi-square.js';
export { type Difference, differenceTests, differencesBetween } from './differences.js';
export { type HeatMap, heatMapSvg } from './heat-map.js';
export { proteinsWithTerm } from './proteins-with-term.js';
