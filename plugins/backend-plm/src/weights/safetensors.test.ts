import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readSafetensors } from './safetensors.js';
import { readWeights } from './weight-files.js';

const folder = mkdtempSync(join(tmpdir(), 'kindred-safetensors-'));
const path = join(folder, 'model.safetensors');
afterAll(() => rmSync(folder, { recursive: true }));

function write(header: unknown, dataBytes: number, declaredBytes?: bigint): void {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(declaredBytes ?? BigInt(text.length));
  writeFileSync(path, Buffer.concat([start, text, Buffer.alloc(dataBytes)]));
}
const tensor = (dtype: string, shape: unknown, data_offsets: unknown) => ({ dtype, shape, data_offsets });

describe('readSafetensors', () => {
  it('says where each weight is', async () => {
    const header = {
      __metadata__: { format: 'pt' },
      b: tensor('F16', [3], [16, 22]),
      a: tensor('F32', [2, 2], [0, 16]),
      positions: tensor('I64', [1], [22, 30]),
    };
    write(header, 30);
    const start = 8 + JSON.stringify(header).length;
    expect([...(await readSafetensors(path))]).toEqual([
      ['a', { file: 'model.safetensors', type: 'F32', shape: [2, 2], offsetBytes: start, sizeBytes: 16 }],
      ['b', { file: 'model.safetensors', type: 'F16', shape: [3], offsetBytes: start + 16, sizeBytes: 6 }],
    ]);
  });

  it.each([
    ['a header longer than the file', [{}, 0, 1000n], /cut short/],
    ['a header of 2^63 bytes', [{}, 0, 2n ** 63n], /cut short/],
    ['no JSON', ['{"a": ', 0], /not JSON/],
    ['a list for a header', ['[]', 0], /not an object/],
    ['a tensor behind the file', [{ a: tensor('F32', [2], [0, 8]) }, 4], /tensor "a".*bytes 0 to 8.*has 4/],
    ['a tensor that ends before it begins', [{ a: tensor('F32', [0], [4, 0]) }, 8], /tensor "a"/],
    ['a negative offset', [{ a: tensor('F32', [2], [-8, 0]) }, 8], /no usable offsets/],
    ['a shape that needs more', [{ a: tensor('F32', [3], [0, 8]) }, 8], /asks for 12/],
    ['a shape whose size overflows', [{ a: tensor('F32', [2 ** 52, 2 ** 52], [0, 8]) }, 8], /asks for/],
    ['a shape of fractions', [{ a: tensor('F32', [1.5], [0, 6]) }, 8], /no usable shape/],
    ['an unknown type', [{ a: tensor('C64', [1], [0, 8]) }, 8], /unknown type "C64"/],
    ['a type of the object prototype', [{ a: tensor('constructor', [1], [0, 8]) }, 8], /unknown type/],
    [
      'overlapping tensors',
      [{ a: tensor('F32', [2], [0, 8]), b: tensor('F32', [1], [4, 8]) }, 8],
      /tensors a and b.*overlap/,
    ],
    ['null for a tensor', [{ a: null }, 8], /unknown type/],
  ] as [string, [unknown, number, bigint?], RegExp][])(
    'refuses %s',
    async (_, [header, data, declared], message) => {
      write(header, data, declared);
      await expect(readSafetensors(path)).rejects.toThrow(message);
    },
  );

  it('gives spans within the file or a clear error, whatever the bytes', async () => {
    write({ a: tensor('F32', [2, 2], [0, 16]), b: tensor('BF16', [4], [16, 24]) }, 24);
    const { readFileSync } = await import('node:fs');
    const good = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(good.length),
        async (changes, cut) => {
          const bytes = Buffer.from(good);
          for (const [at, value] of changes) bytes[at] = value;
          writeFileSync(path, cut % 3 === 0 ? bytes.subarray(0, cut) : bytes);
          try {
            for (const span of (await readSafetensors(path)).values())
              expect(span.offsetBytes + span.sizeBytes).toBeLessThanOrEqual(good.length);
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('readWeights', () => {
  it('refuses an index that names a file elsewhere, and a folder without weights', async () => {
    const index = 'model.safetensors.index.json';
    writeFileSync(join(folder, index), JSON.stringify({ weight_map: { a: '../other/model.safetensors' } }));
    await expect(readWeights(folder, [index])).rejects.toThrow(/not a file name of this folder/);
    writeFileSync(join(folder, index), '{"weight_map": {"a": 5}}');
    await expect(readWeights(folder, [index])).rejects.toThrow(/no weight_map/);
    await expect(readWeights(folder, ['model.onnx'])).rejects.toThrow(/neither model\.safetensors nor/);
  });
});
