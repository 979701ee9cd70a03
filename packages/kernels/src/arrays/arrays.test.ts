import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteIndex } from './byte-index.js';
import { concatenateRows } from './concatenate.js';
import { fromFloat16, maxFloat16, toFloat16 } from './float16.js';
import { decodeFrame, encodeFrame, FrameError } from './frame.js';
import { Random } from './random.js';
import { rowsByKey } from './rows-by-key.js';
import { indexOfSorted } from './sorted.js';
import { topK } from './top-k.js';

const allPatterns = Uint16Array.from({ length: 65536 }, (_, i) => i);

describe('float16', () => {
  it('returns every one of the 65,536 patterns', () => {
    const { half, clamped, notANumber } = toFloat16(fromFloat16(allPatterns));
    for (const pattern of allPatterns) {
      const magnitude = pattern & 0x7fff;
      if (magnitude > 0x7c00) expect(half[pattern]).toBe(0x7e00);
      else if (magnitude === 0x7c00) expect(half[pattern]).toBe(pattern - 1);
      else if (half[pattern] !== pattern) expect.fail(`pattern ${pattern} became ${half[pattern]}`);
    }
    expect([clamped, notANumber]).toEqual([2, 2 * 1023]);
  });

  it('rounds to the nearest pattern, ties to even, at and beside every midpoint', () => {
    const finite = fromFloat16(allPatterns.subarray(0, 0x7c00));
    const beside = new Float32Array(3);
    const bits = new Uint32Array(beside.buffer);
    for (let low = 0; low + 1 < finite.length; low++) {
      beside[1] = (finite[low] + finite[low + 1]) / 2;
      bits[0] = bits[1] - 1;
      bits[2] = bits[1] + 1;
      const even = low % 2 === 0 ? low : low + 1;
      const { half } = toFloat16(beside);
      if (half[0] !== low || half[1] !== even || half[2] !== low + 1)
        expect.fail(`at the midpoint above pattern ${low}`);
    }
  });

  it('is off by at most half a step, is odd, and clamps what does not fit', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        const { half, clamped } = toFloat16(Float32Array.of(value, -value));
        const [back, negative] = fromFloat16(half);
        expect(negative).toBe(-back);
        if (Math.abs(value) >= 65520) expect([Math.abs(back), clamped]).toEqual([maxFloat16, 2]);
        else
          expect(Math.abs(back - value)).toBeLessThanOrEqual(
            Math.max(2 ** -25, Math.abs(value) * 2 ** -11, value > maxFloat16 ? 16 : 0),
          );
      }),
    );
    expect(toFloat16(Float32Array.of(65504, 65505, 65519, 65520, -1e30)).clamped).toBe(2);
    expect(() => toFloat16(new Float32Array(2), new Uint16Array(1))).toThrowError(RangeError);
    expect(() => fromFloat16(new Uint16Array(2), new Float32Array(3))).toThrowError(RangeError);
  });
});

describe('Random', () => {
  it('gives the published numbers of xoshiro128**', () => {
    // The state 1, 2, 3, 4 is that of the reference vectors of the Rust crate rand_xoshiro.
    const random = Random.fromState([1, 2, 3, 4]);
    const wanted = [
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ];
    expect(wanted.map(() => random.uint32())).toEqual(wanted);
    expect(() => Random.fromState([0, 0, 0, 0])).toThrowError(RangeError);
  });

  it('depends on its seed alone and differs between seeds', () => {
    const draw = (seed: number | string) =>
      Array.from(
        { length: 5 },
        (
          (random) => () =>
            random.uint32()
        )(new Random(seed)),
      );
    expect(draw('a')).toEqual(draw('a'));
    expect(new Set([draw(0), draw(1), draw('a'), draw('b')].map(String)).size).toBe(4);
  });

  it('is even, unbiased and normal within four standard errors', () => {
    const random = new Random(7);
    const counts = new Float64Array(6);
    const n = 60_000;
    let sum = 0;
    let squares = 0;
    let mean = 0;
    for (let i = 0; i < n; i++) {
      counts[random.integer(6)]++;
      const z = random.normal();
      sum += z;
      squares += z * z;
      mean += random.float() / n;
    }
    for (const count of counts)
      expect(Math.abs(count - n / 6)).toBeLessThan(4 * Math.sqrt(n * (1 / 6) * (5 / 6)));
    expect(Math.abs(sum / n)).toBeLessThan(4 / Math.sqrt(n));
    expect(Math.abs(squares / n - 1)).toBeLessThan(4 * Math.sqrt(2 / n));
    expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * n));
    for (const wrong of [0, 1.5, -1, 2 ** 33]) expect(() => random.integer(wrong)).toThrowError(RangeError);
  });

  it('shuffles and samples without loss', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 50 }), fc.nat(), (seed, n, pick) => {
        const random = new Random(seed);
        const all = Array.from({ length: n }, (_, i) => i);
        expect(random.shuffle([...all]).sort((a, b) => a - b)).toEqual(all);
        const sample = random.sample(pick % (n + 1), n);
        expect(new Set(sample).size).toBe(pick % (n + 1));
        expect(sample.every((value) => value >= 0 && value < n)).toBe(true);
      }),
    );
    expect([...new Random(1).sample(5, 5)].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(() => new Random(1).sample(3, 2)).toThrowError(RangeError);
  });
});

describe('indexOfSorted', () => {
  it('is indexOf, for numbers and texts', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(numbers, fc.integer({ min: 0, max: 40 }), (values, wanted) => {
        const ascending = Float64Array.from(values).sort();
        expect(indexOfSorted(ascending, wanted)).toBe(ascending.indexOf(wanted));
        const texts = Array.from(values, String).sort();
        expect(indexOfSorted(texts, String(wanted))).toBe(texts.indexOf(String(wanted)));
      }),
    );
  });
});

describe('topK', () => {
  it('equals a full stable sort, with ties and NaN', () => {
    const value = fc.constantFrom(
      0,
      -0,
      1,
      2,
      2.5,
      -3,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    );
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 30 }),
        fc.nat({ max: 35 }),
        fc.boolean(),
        (values, k, largest) => {
          const better = (a: number, b: number) => {
            if (Number.isNaN(values[a]) || Number.isNaN(values[b]))
              return Number(Number.isNaN(values[a])) - Number(Number.isNaN(values[b]));
            if (values[a] === values[b]) return 0;
            return values[a] > values[b] === largest ? -1 : 1;
          };
          const wanted = values
            .map((_, i) => i)
            .sort((a, b) => better(a, b) || a - b)
            .slice(0, k);
          expect([...topK(values, k, largest ? 'largest' : 'smallest')]).toEqual(wanted);
        },
      ),
    );
    expect(() => topK([1], -1)).toThrowError(RangeError);
    expect(() => topK([1], 0.5)).toThrowError(RangeError);
  });
});

describe('frames', () => {
  const block = fc.oneof(
    fc.int8Array(),
    fc.uint8Array(),
    fc.int16Array(),
    fc.uint16Array(),
    fc.int32Array(),
    fc.uint32Array(),
    fc.float32Array(),
    fc.float64Array(),
    fc.bigInt64Array(),
    fc.bigUint64Array(),
  );

  it('returns header and blocks, at any position in memory', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.string({ maxLength: 8 }), block, { maxKeys: 5 }),
        fc.nat({ max: 9 }),
        (header, blocks, shift) => {
          const bytes = encodeFrame(header, blocks);
          const moved = new Uint8Array(bytes.length + shift);
          moved.set(bytes, shift);
          const frame = decodeFrame(moved.subarray(shift));
          expect(frame.header).toEqual(JSON.parse(JSON.stringify(header)));
          expect(frame.blocks).toEqual({ ...blocks });
        },
      ),
    );
  });

  it('shares memory where it can, and reads a Buffer', () => {
    const bytes = encodeFrame({ a: 1 }, { numbers: Float32Array.of(1, 2), text: Buffer.from('xyz') });
    const { blocks } = decodeFrame(bytes);
    expect(blocks.numbers.buffer).toBe(bytes.buffer);
    expect(blocks.numbers.byteOffset % 8).toBe(0);
    expect(blocks.text).toEqual(new Uint8Array(Buffer.from('xyz')));
  });

  it('refuses what is cut, longer or other, and never fails otherwise', () => {
    const bytes = encodeFrame({ job: 'x' }, { a: Float64Array.of(1, 2, 3), b: Uint8Array.of(1) });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeFrame(bytes.subarray(0, length))).toThrowError(FrameError);
    }
    expect(() => decodeFrame(Uint8Array.of(...bytes, 0))).toThrowError(/1 bytes follow its last block/);
    expect(() => decodeFrame(bytes.with(0, 0))).toThrowError(/does not start with "KFR1"/);
    const other = (json: unknown) => {
      const text = new TextEncoder().encode(JSON.stringify(json));
      const frame = new Uint8Array(8 + text.length);
      frame.set(bytes.subarray(0, 4));
      new DataView(frame.buffer).setUint32(4, text.length, true);
      frame.set(text, 8);
      return frame;
    };
    expect(() =>
      decodeFrame(other({ header: 1, blocks: [{ name: 'a', dtype: 'toString', length: 0 }] })),
    ).toThrowError(/dtype "toString"/);
    expect(() =>
      decodeFrame(other({ header: 1, blocks: [{ name: 'a', dtype: 'int8', length: -1 }] })),
    ).toThrowError(/length -1/);
    expect(() =>
      decodeFrame(other({ header: 1, blocks: [{ name: 'a', dtype: 'int8', length: 2 ** 52 }] })),
    ).toThrowError(/ends at byte/);
    const unnamed = { dtype: 'int8', length: 0 };
    expect(() => decodeFrame(other({ header: 1, blocks: [unnamed] }))).toThrowError(/block 0 has no name/);
    const twice = { ...unnamed, name: 'a' };
    expect(() => decodeFrame(other({ header: 1, blocks: [twice, twice] }))).toThrowError(/two blocks/);
    expect(() => decodeFrame(other({ header: 1, blocks: [null] }))).toThrowError(FrameError);
    expect(() => decodeFrame(other([]))).toThrowError(/lacks "header"/);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0, max: 255 }), (position, byte) => {
        try {
          decodeFrame(bytes.with(position, byte));
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
        }
      }),
    );
    expect(() => encodeFrame(undefined, {})).toThrowError(TypeError);
    expect(() => encodeFrame({}, { view: new DataView(new ArrayBuffer(1)) })).toThrowError(/not DataView/);
  });
});

describe('concatenateRows', () => {
  it('gives every row back, empty ones too', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (rows) => {
        const { codes, start } = concatenateRows(rows);
        expect(start).toHaveLength(rows.length + 1);
        expect(codes).toHaveLength(start[rows.length]);
        expect(rows.map((_, r) => codes.slice(start[r], start[r + 1]))).toEqual(rows);
      }),
    );
  });
});

describe('byte index', () => {
  it('numbers keys like a map, through growth', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 400 }), (keys) => {
        const index = new ByteIndex(2);
        const map = new Map<string, number>();
        for (const key of keys) {
          if (!map.has(key)) map.set(key, map.size);
          expect(index.addText(key)).toBe(map.get(key));
        }
        for (const [key, number] of map) {
          expect(index.findText(key)).toBe(number);
          expect(index.textOf(number)).toBe(key);
        }
        expect(index.findText('\u0000 not there')).toBe(-1);
      }),
    );
  });
});

describe('rows by key', () => {
  it('are those whose keys name it, and give the keys of the rows back', () => {
    const keyCount = 9;
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.nat(keyCount - 1)).map((keys) => keys.sort((a, b) => a - b))),
        (keysOfRow) => {
          const start = Int32Array.from([0, ...keysOfRow.keys()], (_, row) =>
            keysOfRow.slice(0, row).reduce((sum, keys) => sum + keys.length, 0),
          );
          const found = rowsByKey(start, Int32Array.from(keysOfRow.flat()), keyCount);
          for (let key = 0; key < keyCount; key++)
            expect([...found.rows.subarray(found.start[key], found.start[key + 1])]).toEqual(
              [...keysOfRow.keys()].filter((row) => keysOfRow[row].includes(key)),
            );
          const back = rowsByKey(found.start, found.rows, keysOfRow.length);
          expect([back.start, back.rows]).toEqual([start, Int32Array.from(keysOfRow.flat())]);
        },
      ),
    );
  });
});
