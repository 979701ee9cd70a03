/**
 * Values that Python's json.dumps can write. A whole number is an int; use `PythonFloat` for a float with an integer value.
 */
export type PythonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PythonFloat
  | readonly PythonValue[]
  | { readonly [key: string]: PythonValue };

/** A number that is marked as a Python float; its text has a point or an exponent even for an integer value. */
export class PythonFloat {
  constructor(readonly value: number) {}
}

/**
 * Returns the text that `json.dumps(value, sort_keys=True)` of Python 3 prints: keys in order of code points, ", " and ": " between
 * items, everything outside printable ASCII escaped, floats as repr() prints them. Identities are hashes of this text, because most
 * programs that produce models and datasets are written in Python. The cost is linear in the text, plus sorting.
 * @throws RangeError for a whole number beyond 2^53 that is not a bigint, because its exact digits are unknown
 */
export function pythonJson(value: PythonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return stringText(value);
  if (value instanceof PythonFloat) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  const record = value as { readonly [key: string]: PythonValue };
  const keys = Object.keys(record).sort(byCodePoint);
  return `{${keys.map((key) => `${stringText(key)}: ${pythonJson(record[key])}`).join(', ')}}`;
}

function numberText(value: number): string {
  if (!Number.isInteger(value) || Object.is(value, -0)) return floatText(value);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is beyond 2^53: give a bigint, or a PythonFloat`);
  return String(value);
}

/** Returns repr() of a float: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e16 on. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits, power] = Math.abs(value).toExponential().split('e');
  const exponent = Number(power);
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const plain = digits.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${plain}`;
  const whole = plain.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${plain.slice(exponent + 1) || '0'}`;
}

function stringText(text: string): string {
  // These characters are not escaped by JSON.stringify. Each UTF-16 unit is escaped separately, as in Python.
  return JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const common = Math.min(left.length, right.length);
  for (let i = 0; i < common; i++) {
    const difference = (left[i].codePointAt(0) as number) - (right[i].codePointAt(0) as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
