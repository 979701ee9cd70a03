export * from './alignment.js';
export { blosum62 } from './blosum62.js';
export { alignPlain, plainAligner } from './plain.js';
export { alphabetSize, encodeResidues, paddingCode } from './residues.js';
export { type TracedAlignment, traceAlignment } from './trace.js';
export * from './same-protein.js';
