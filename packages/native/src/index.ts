export { createWasmAligner } from './alignment/wasm-aligner.js';
