export * from './ids.js';
export * from './jobs.js';
export * from './operation.js';
export * from './operations.js';
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
export * from './routes.js';
export { runnerOutputFault } from './runner-output.js';
export * from './vocabulary.js';
