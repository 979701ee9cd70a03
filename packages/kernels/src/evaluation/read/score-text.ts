import { textOf } from './fields.js';

const exactPowers = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));
const otherNumber = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const special = /^([+-]?)(inf|infinity|nan)$/i;

/**
 * Reads bytes[start, end) as a decimal number, correctly rounded. `inf`, `nan` and digits grouped by `_` are numbers, too. Plain decimals
 * of up to 15 digits take a path without a string (integer / power of ten, both exact).
 * @returns undefined if the text is not a number
 */
export function parseScore(bytes: Uint8Array, start: number, end: number): number | undefined {
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (byte >= 48 && byte <= 57) {
      mantissa = mantissa * 10 + (byte - 48);
      digits++;
    } else if (byte === 46 && point < 0) point = i;
    else return parseOther(textOf(bytes, start, end));
  }
  if (digits === 0) return undefined;
  if (digits > 15) return parseOther(textOf(bytes, start, end));
  return point < 0 ? mantissa : mantissa / exactPowers[end - 1 - point];
}

function parseOther(text: string): number | undefined {
  const named = special.exec(text);
  if (named) {
    if (named[2].toLowerCase() === 'nan') return Number.NaN;
    return named[1] === '-' ? -Infinity : Infinity;
  }
  return otherNumber.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}
