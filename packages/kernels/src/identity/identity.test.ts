import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AxisTuple, axisTupleId, axisTupleText, PythonFloat, pythonJson } from './index.js';

interface Golden {
  floats: [string, string][];
  strings: [string, string][];
  keys: [Record<string, number>, string];
  integers: [string, string][];
  tuples: { tuple: AxisTuple; text: string; id: string }[];
}
const golden: Golden = JSON.parse(readFileSync(new URL('golden/python-json.json', import.meta.url), 'utf8'));
const [first, second] = golden.tuples;
/** JSON cannot mark a float with an integer value, and this one was 1.0 in Python. */
const withFloat = (tuple: AxisTuple): AxisTuple => ({
  ...tuple,
  ensemble_spec: { ...(tuple.ensemble_spec as object), weights: [0.5, 0.25, new PythonFloat(1)] },
});

describe('JSON as Python writes it', () => {
  it('writes floats', () => {
    for (const [bytes, text] of golden.floats)
      expect(pythonJson(new PythonFloat(Buffer.from(bytes, 'hex').readDoubleLE()))).toBe(text);
  });

  it('writes strings, integers and the order of keys', () => {
    for (const [value, text] of golden.strings) expect(pythonJson(value)).toBe(text);
    for (const [digits, text] of golden.integers) expect(pythonJson(BigInt(digits))).toBe(text);
    expect(pythonJson(7)).toBe('7');
    expect(pythonJson(golden.keys[0])).toBe(golden.keys[1]);
    expect(pythonJson([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])).toBe(
      '[NaN, Infinity, -Infinity]',
    );
  });

  it('writes what JSON reads back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!/\d{17}|e\+/.test(JSON.stringify(value)));
        // The comparison avoids JSON.stringify, which loses the sign of -0.
        expect(JSON.parse(pythonJson(value as never))).toEqual(value);
      }),
    );
  });

  it('refuses a whole number whose digits are lost', () => {
    expect(() => pythonJson(2 ** 60)).toThrow(/give a bigint/);
  });
});

describe('the axis tuple', () => {
  it('has the text and the identity that Python gives', () => {
    expect(axisTupleText(first.tuple)).toBe(first.text);
    expect(axisTupleId(first.tuple)).toBe(first.id);
    expect(axisTupleText(withFloat(second.tuple))).toBe(second.text);
    expect(axisTupleId(withFloat(second.tuple))).toBe(second.id);
  });

  it('does not depend on the order of the keys', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(first.tuple), { minLength: 8 }), (entries) => {
        expect(axisTupleId(Object.fromEntries(entries) as AxisTuple)).toBe(first.id);
      }),
    );
  });

  it('depends on every value, and refuses other keys', () => {
    for (const key of Object.keys(first.tuple))
      expect(axisTupleId({ ...first.tuple, [key]: 'other' })).not.toBe(first.id);
    const { plm: _, ...short } = first.tuple;
    expect(() => axisTupleId(short as AxisTuple)).toThrow('the axis tuple lacks plm');
    expect(() => axisTupleId({ ...first.tuple, extra: 1 } as AxisTuple)).toThrow('has no extra');
  });
});
