import { expect, it } from 'vitest';
import { createBlockScan } from './scan.js';

it('says how much memory a block of vectors needs if the machine does not give it', () => {
  expect(() => createBlockScan(1 << 20, 1 << 12, 8)).toThrow(
    /^searching vectors this long needs 43\d\d MB, but this memory is not available$/,
  );
});
