export { type NetworkAnswer, SequenceNetwork } from './network.js';
export { NetworkFormatError, type NetworkLayout } from './weights.js';
