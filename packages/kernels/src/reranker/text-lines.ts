import { FormatError, quoted } from '../formats/format-error.js';

/** A line `key=value` of the model file. */
export interface KeyValue {
  value: string;
  line: number;
}

/** Makes the error for an invalid model file, which names the line and what was expected. */
export function fault(line: number, reason: string): FormatError {
  return new FormatError({ line, record: null, reason });
}

/** Iterates over the lines of a text without splitting all of it, and keeps the current line number. */
export class TextLines {
  /** The number of the line that `next` last returned, from 1. */
  line = 0;
  #at = 0;

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next line without its end; null at the end of the text. */
  next(): string | null {
    if (this.#at >= this.#text.length) return null;
    const found = this.#text.indexOf('\n', this.#at);
    const end = found < 0 ? this.#text.length : found;
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' && end > this.#at ? end - 1 : end);
    this.#at = end + 1;
    this.line++;
    return line;
  }

  /** Reads `key=value` lines up to the next empty line. A key without a value has an empty value. */
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

/** Splits a value at its spaces. */
export function words(field: KeyValue): string[] {
  return field.value === '' ? [] : field.value.trim().split(/ +/);
}

/** @throws FormatError if the key is missing */
export function required(fields: Map<string, KeyValue>, key: string, from: number): KeyValue {
  const field = fields.get(key);
  if (field === undefined) throw fault(from, `expected a line ${key}=... in the section that begins here`);
  return field;
}

/** Reads a whole number within [low, high]. */
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

/** Reads a number in decimal notation, or `inf` or `-inf`. */
export function numberOrInfinity(text: string, line: number, what: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return finiteNumber(text, line, what);
}

/** Reads a finite number in decimal notation. */
export function finiteNumber(text: string, line: number, what: string): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw fault(line, `${what} is ${quoted(text)}; expected a finite number`);
  return value;
}
