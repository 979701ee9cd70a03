import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** Advises in plain words on what to send instead, if a schema has no sentence for the fault. */
export function faultWords(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `required; expected ${typeWords(issue.expected)}`
        : `expected ${typeWords(issue.expected)}, not ${valueWords(issue.input)}`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return Object.hasOwn(formats, issue.format) ? `expected ${formats[issue.format]}` : undefined;
    case 'too_small':
      return `expected ${sizeWords(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `expected ${sizeWords(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'does not match any of the accepted forms';
    // For these faults, the schema or zod has a sentence that says what to do.
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'unrecognized_keys':
      return undefined;
  }
}

const formats: Record<string, string> = {
  guid: 'a UUID, such as 0f8fad5b-d9cb-469f-a165-70867728950e',
  uuid: 'a UUID, such as 0f8fad5b-d9cb-469f-a165-70867728950e',
  email: 'an e-mail address',
  url: 'an address, such as https://example.org/file',
  datetime: 'a time, such as 2026-01-31T09:30:00Z',
  date: 'a date, such as 2026-01-31',
};

const types: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function typeWords(type: string): string {
  return types[type] ?? type;
}

function valueWords(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  // A query's text that is not a number has become NaN.
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : 'a text that is not a number';
  return typeof value === 'boolean' ? String(value) : typeWords(typeof value);
}

const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  file: ['byte', 'bytes'],
};

function sizeWords(origin: string, bound: string, limit: number | bigint): string {
  const unit = Object.hasOwn(units, origin) ? ` ${units[origin][Number(limit) === 1 ? 0 : 1]}` : '';
  return `${bound} ${limit}${unit}`;
}
