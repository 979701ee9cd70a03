export { type NetworkAnswer, SequenceNetwork } from './network.js';
export type { NetworkKernel, NetworkProgram, Step } from './program.js';
export { type Dense, NetworkFormatError, type NetworkLayout, type Norm } from './weights.js';
