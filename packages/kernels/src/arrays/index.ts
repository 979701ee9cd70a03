export { fromFloat16, type HalfConversion, maxFloat16, toFloat16 } from './float16.js';
export {
  type BlockType,
  decodeFrame,
  encodeFrame,
  type Frame,
  type FrameBlock,
  FrameError,
} from './frame.js';
export { Random } from './random.js';
export { indexOfSorted } from './sorted.js';
export { topK } from './top-k.js';
