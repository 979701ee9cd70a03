export { ByteIndex } from './byte-index.js';
export { concatenate, type ConcatenatedRows, concatenateRows } from './concatenate.js';
export { ExactSum } from './exact-sum.js';
export { fromFloat16, type HalfConversion, maxFloat16, toFloat16 } from './float16.js';
export {
  type BlockType,
  decodeFrame,
  encodeFrame,
  type Frame,
  type FrameBlock,
  FrameError,
} from './frame.js';
export { groupedBy } from './grouped-by.js';
export { type GrowingArray, GrowingFloat32, GrowingFloat64, GrowingInt32, GrowingUint8 } from './growing.js';
export { Random } from './random.js';
export { ranksInGroups } from './ranks.js';
export { type RowsByKey, rowsByKey } from './rows-by-key.js';
export { sharedCopy } from './shared.js';
export { indexOfSorted, quantileOfSorted } from './sorted.js';
export { topK } from './top-k.js';
