export { localColumns, localFeatureCount, localFeatures, localLogOdds } from './local-statistics.js';
export { type NetworkAnswer, SequenceNetwork } from './network.js';
export type { NetworkKernel, NetworkProgram, Step } from './program.js';
export { ProteinChance } from './protein-chance.js';
export { type SpeakingStretch, speakingStretch } from './speaking-stretch.js';
export { networkRefusal, type NetworkRefusal } from './refusal.js';
export { networkTermsHead, type NetworkTerm, NetworkTerms, type NetworkTermScore } from './terms.js';
export { type Dense, NetworkFormatError, type NetworkLayout, type Norm } from './weights.js';
