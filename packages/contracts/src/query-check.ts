/** The rule by which the service says why a sequence has no prediction, for clients that want to act on the reason. */
export { checkSequence } from '@kindred/kernels/query-check';
