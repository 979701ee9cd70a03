import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadNative } from './native.js';

const folder = mkdtempSync(join(tmpdir(), 'kindred-native-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a compiled module of another version', () => {
  it.each([
    ['{}', 'older than 1'],
    ['{ interface: 0 }', 'its interface is 0'],
  ])('with %s is refused with what to do', (exported, words) => {
    const file = join(folder, `${words.length}.cjs`);
    writeFileSync(file, `module.exports = ${exported};`);
    expect(() => loadNative({ file })).toThrow(words);
    expect(() => loadNative({ file })).toThrow('node packages/native/tools/build-native.mjs --force');
    expect(loadNative({ file, use: 'off' })).toBeNull();
  });
});
