export { Client, type ClientOptions, type FinishOptions, type Page } from './client.js';
export { hasStatus, isTransient, Problem, type ProblemDocument, problemOf } from './problem.js';
export type { Input, PathOf, Reply, ReplyCheck, StreamedForm } from './types.js';
