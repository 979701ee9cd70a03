export { type NetworkAnswer, SequenceNetwork } from './network.js';
export type { NetworkKernel, NetworkProgram, Step } from './program.js';
export { networkRefusal, type NetworkRefusal } from './refusal.js';
export { networkTermsHead, type NetworkTerm, NetworkTerms, type NetworkTermScore } from './terms.js';
export { type Dense, NetworkFormatError, type NetworkLayout, type Norm } from './weights.js';
