/**
 * Writes fixed decimals as C's `%.df` does: the exact binary value is rounded with halves to even (toFixed takes halves up). Infinity is
 * written as `inf`, NaN as nothing.
 */
export function fixedDecimals(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return special(value);
  const text = value.toFixed(decimals);
  if (!value.toFixed(Math.min(100, decimals + 1)).endsWith('5')) return text;
  const allDigits = 100;
  const exact = value.toFixed(allDigits);
  const cut = exact.length - (allDigits - decimals);
  if (!/^50*$/.test(exact.slice(cut))) return text;
  // At a tie the neighbour with the even last digit is taken.
  const lower = exact.slice(0, decimals === 0 ? cut - 1 : cut);
  return Number(lower.at(-1)) % 2 === 0 ? lower : text;
}

/** Writes the fewest decimals that give back the double, as Python does (13.0, 1e-05). */
export function shortestDecimals(value: number): string {
  if (!Number.isFinite(value)) return special(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(value) ? `${Object.is(value, -0) ? '-0' : value}.0` : String(value);
}

function special(value: number): string {
  if (Number.isNaN(value)) return '';
  return value > 0 ? 'inf' : '-inf';
}

/** Returns the number of decimals of the rounded tables: ceil(-log10(step)) + 1. */
export function tableDecimals(thresholdStep: number): number {
  return Math.ceil(-Math.log10(thresholdStep)) + 1;
}
