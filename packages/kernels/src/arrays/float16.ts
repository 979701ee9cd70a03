/** The largest finite float16. */
export const maxFloat16 = 65504;

export interface HalfConversion {
  /** The IEEE 754 binary16 pattern of each input value. */
  half: Uint16Array;
  /** The number of values that were clamped to +-65,504: magnitudes of 65,520 or more, with infinities. */
  clamped: number;
  /** The number of NaN inputs, which stay NaN (0x7e00). */
  notANumber: number;
}

/**
 * Turns float32 into float16, rounded to nearest with ties to even; subnormals are kept. The relative error of normal values is at most
 * 2^-11. Values whose nearest float16 would be infinite are clamped, so a stored vector is finite when its input is.
 *
 * Cost: O(n), about 1 ns per value.
 * @throws RangeError if `out` has another length
 * @cite IEEE754-2019
 */
export function toFloat16(
  values: Float32Array,
  out: Uint16Array = new Uint16Array(values.length),
): HalfConversion {
  if (out.length !== values.length)
    throw new RangeError(`${values.length} values do not fit an output of ${out.length}`);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  let clamped = 0;
  let notANumber = 0;
  for (let i = 0; i < bits.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000;
    const magnitude = bits[i] & 0x7fffffff;
    if (magnitude < 0x38800000) out[i] = sign | subnormal(magnitude);
    else if (magnitude < 0x477ff000) {
      // The addend is half a unit of the last kept bit, less one unless that bit is odd. So ties go to even, and a carry goes into the
      // exponent.
      out[i] = sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
    } else if (magnitude > 0x7f800000) {
      out[i] = 0x7e00;
      notANumber++;
    } else {
      out[i] = sign | 0x7bff;
      clamped++;
    }
  }
  return { half: out, clamped, notANumber };
}

/** Values below 2^-14 are multiples of 2^-24. They are rounded to nearest, ties to even. */
function subnormal(magnitude: number): number {
  const shift = 126 - (magnitude >>> 23);
  if (shift > 24) return 0;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const kept = mantissa >>> shift;
  const rest = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

let table: Float32Array | null = null;

/**
 * Turns float16 into float32, exactly for every pattern (with infinities and NaN), by a table of 65,536 values (256 KiB, made at the
 * first call). Cost: O(n).
 * @throws RangeError if `out` has another length
 */
export function fromFloat16(
  half: Uint16Array,
  out: Float32Array = new Float32Array(half.length),
): Float32Array {
  if (out.length !== half.length)
    throw new RangeError(`${half.length} values do not fit an output of ${out.length}`);
  table ??= Float32Array.from({ length: 65536 }, (_, pattern) => valueOf(pattern));
  for (let i = 0; i < half.length; i++) out[i] = table[half[i]];
  return out;
}

function valueOf(pattern: number): number {
  const sign = pattern & 0x8000 ? -1 : 1;
  const exponent = (pattern >>> 10) & 31;
  const mantissa = pattern & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}
