export { type NetworkAnswer, type NetworkKernel, SequenceNetwork } from './network.js';
export type { NetworkProgram, Step } from './program.js';
export { type Dense, NetworkFormatError, type NetworkLayout, type Norm } from './weights.js';
