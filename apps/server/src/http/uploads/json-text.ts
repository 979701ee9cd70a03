import { isUtf8 } from 'node:buffer';
import { type FieldFault, fieldProblem, ProblemError, validationProblem } from '@kindred/contracts';

/** Any body of the API is less deep, and a serializer that recurses goes far beyond it. */
const maxDepth = 100;
/** A finite double has at most this many digits in front of its decimal point. */
const maxWholeDigits = 309;
/** These keys change an object instead of being stored in it. */
const prototypeKeys = new Set(['__proto__', 'constructor']);

/**
 * Gives the value of a JSON text, or undefined for an empty one. A value that would change on its way into
 * the database is refused. Every token is counted before values are made, so that a text of small values
 * takes no more time and memory than `maxTokens` of them.
 *
 * @param maxTokens Keys, strings, numbers, words, objects and arrays
 * @throws ProblemError malformed_request (not UTF-8, not JSON), payload_too_large (too many tokens),
 * validation_failed (nested too deep, a number that loses digits, a key given twice, U+0000, half of a
 * surrogate pair, a key such as __proto__)
 */
export function parseJson(bytes: Buffer, maxTokens: number): unknown {
  if (!isUtf8(bytes)) {
    throw new ProblemError('malformed_request', 'The body is not UTF-8 text. Encode it as UTF-8.');
  }
  const text = bytes.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  const members = checkTokens(text, maxTokens);
  const value = parsed(text);
  const seen = { members: 0 };
  const fault = faultIn(value, seen);
  if (fault !== null) throw validationProblem([fault]);
  if (seen.members < members)
    throw fieldProblem('', 'a key is given twice in one object; give it once', 'duplicate_key');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError('malformed_request', `The body is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/**
 * Checks the number of the tokens, their depth, and their numbers, outside of strings. Malformed text passes,
 * because the parser reports it.
 *
 * @returns the number of members of all objects
 */
function checkTokens(text: string, maxTokens: number): number {
  const token = /["[\]{}:]|-?\d[\d.eE+-]*|[a-z]+/g;
  let depth = 0;
  let tokens = 0;
  let members = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === ']' || found === '}') depth--;
    else if (found === ':') members++;
    else tokens++;
    if (tokens > maxTokens) throw tooManyTokens(maxTokens);
    if (found === '"') token.lastIndex = endOfString(text, match.index);
    else if (found === '[' || found === '{') depth++;
    else if (/\d/.test(found)) requireExact(found);
    if (depth > maxDepth) throw fieldProblem('', `nested deeper than ${maxDepth} levels`, 'too_deep');
  }
  return members;
}

function tooManyTokens(maxTokens: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The body has more than ${maxTokens} keys and values. Send fewer, or in several requests.`,
  );
}

/** Gives the place after the closing quote, or the end of the text if the quote is missing. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function requireExact(number: string): void {
  const value = Number(number);
  const isWhole = /^-?[1-9]\d*$/.test(number);
  const isKept = () => !isWhole || (number.length <= maxWholeDigits + 1 && BigInt(value) === BigInt(number));
  if (Number.isNaN(value) || (Number.isFinite(value) && isKept())) return;
  const shown = number.length > 40 ? `${number.slice(0, 40)}...` : number;
  throw fieldProblem('', `the number ${shown} would lose digits; send it as a text`, 'inexact_number');
}

interface Place {
  value: unknown;
  key: string;
  parent: Place | null;
}

/** Finds the first fault of a key or a text. The function counts the members of the objects in `seen`. */
function faultIn(body: unknown, seen: { members: number }): FieldFault | null {
  const open: Place[] = [{ value: body, key: '', parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'string') {
      const message = textFault(value);
      if (message !== null) return { path: pointerTo(place), message, code: 'invalid_text' };
    }
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    if (!Array.isArray(value)) seen.members += entries.length;
    for (const [key, inner] of entries) {
      const at = { value: inner, key, parent: place };
      if (isForbidden(key, inner) || textFault(key) !== null) {
        const message = textFault(key) ?? 'this key is not accepted; choose another name';
        return { path: pointerTo(at), message, code: 'forbidden_key' };
      }
      open.push(at);
    }
  }
  return null;
}

function isForbidden(key: string, inner: unknown): boolean {
  if (!prototypeKeys.has(key)) return false;
  return (
    key === '__proto__' || (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
  );
}

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'a text holds the character U+0000, which cannot be stored';
  // The pattern finds a surrogate without its other half; with the flag u, a pair is one character.
  if (/\p{Surrogate}/u.test(text)) return 'a text holds half of a surrogate pair, which cannot be stored';
  return null;
}

function pointerTo(place: Place): string {
  const keys: string[] = [];
  for (let at: Place = place; at.parent !== null; at = at.parent) {
    keys.push(`/${at.key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return keys.reverse().join('');
}
