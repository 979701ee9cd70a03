import { FormatError, quoted } from '../formats/format-error.js';

/** A line `key=value` of the model file. */
export interface KeyValue {
  value: string;
  line: number;
}

/** The error for an invalid model file; names the line and what was expected. */
export function fault(line: number, reason: string): FormatError {
  return new FormatError({ line, record: null, reason });
}

/** Iterates over the lines of a text without splitting all of it; keeps the current line number. */
export class TextLines {
  /** 1-based number of the line that `next` last returned. */
  line = 0;
  #at = 0;

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next line without its end, or null. */
  next(): string | null {
    if (this.#at >= this.#text.length) return null;
    const found = this.#text.indexOf('\n', this.#at);
    const end = found < 0 ? this.#text.length : found;
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' && end > this.#at ? end - 1 : end);
    this.#at = end + 1;
    this.line++;
    return line;
  }

  /** `key=value` lines up to the next empty line. A key without a value has an empty value. */
  section(): Map<string, KeyValue> {
    const fields = new Map<string, KeyValue>();
    for (let line = this.next(); line !== null && line !== ''; line = this.next()) {
      const equals = line.indexOf('=');
      const key = equals < 0 ? line : line.slice(0, equals);
      if (fields.has(key)) throw fault(this.line, `${quoted(key)} is given twice`);
      fields.set(key, { value: equals < 0 ? '' : line.slice(equals + 1), line: this.line });
    }
    return fields;
  }
}

/** The parts of a value, separated by spaces. */
export function words(field: KeyValue): string[] {
  return field.value === '' ? [] : field.value.trim().split(/ +/);
}

/** @throws FormatError when the key is missing */
export function required(fields: Map<string, KeyValue>, key: string, from: number): KeyValue {
  const field = fields.get(key);
  if (field === undefined) throw fault(from, `expected a line ${key}=... in the section that begins here`);
  return field;
}

/** A whole number within [low, high]. */
export function wholeNumber(
  text: string,
  line: number,
  range: { low: number; high: number; what: string },
): number {
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= range.low && value <= range.high)) {
    throw fault(
      line,
      `${range.what} is ${quoted(text)}; expected a whole number from ${range.low} to ${range.high}`,
    );
  }
  return value;
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A number in decimal notation, or `inf` or `-inf`. */
export function numberOrInfinity(text: string, line: number, what: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return finiteNumber(text, line, what);
}

/** A finite number in decimal notation. */
export function finiteNumber(text: string, line: number, what: string): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw fault(line, `${what} is ${quoted(text)}; expected a finite number`);
  return value;
}
