// The lists of all routes and operations have modules of their own (routes.ts, operations.ts): they make every schema, which takes longer
// than most calls of the command line.
export * from './ids.js';
export * from './jobs.js';
export * from './operation.js';
export type { OperationName, PayloadOf } from './operations.js';
export * from './plugins.js';
export * from './problems.js';
export * from './roles.js';
export {
  type HttpMethod,
  type RateName,
  rateNames,
  rates,
  type ReplyOf,
  type RequestOf,
  type Route,
} from './route.js';
export { runnerOutputFault } from './runner-output.js';
export * from './vocabulary.js';
