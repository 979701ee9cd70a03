export { type BackendConformance, backendConformance } from './backend.js';
export type { Check } from './check.js';
export { type RunnerConformance, runnerConformance } from './runner.js';
export { type SourceConformance, sourceConformance } from './source.js';
