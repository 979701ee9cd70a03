export * from './evidence.js';
export * from './ids.js';
export * from './jobs.js';
export * from './operations.js';
export * from './plugins.js';
export * from './problems.js';
export * from './roles.js';
export { type HttpMethod, type RateName, rateNames, type RouteRow } from './route-row.js';
export * from './routes.js';
