import { isUtf8 } from 'node:buffer';
import { type FieldFault, ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import type { Api } from '../deps.js';
import { fieldProblem, validationProblem } from '../problems.js';

/** Deeper than any body of the API; a serializer that recurses gets far beyond it. */
const maxDepth = 100;
/** Keys that change an object instead of being stored in it. */
const prototypeKeys = new Set(['__proto__', 'constructor']);

/** JSON bodies. An empty body with a JSON content type is not a body, as many clients send it. */
export function jsonBodies(api: Api): void {
  api.removeContentTypeParser(['application/json', 'text/plain']);
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseBody(body),
  );
  api.addHook('onRequest', (request, _reply, done) => {
    if (!request.url.includes('%00')) return done();
    done(fieldProblem('', 'the address holds the character U+0000 (%00)'));
  });
}

/**
 * The value of a JSON body, or undefined for an empty one. What would be changed on its way into the database is refused.
 * @throws ProblemError malformed_request (not UTF-8, not JSON), validation_failed (nested too deep, a number that loses
 * digits, U+0000, half of a surrogate pair, a key such as __proto__)
 */
export function parseBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    throw new ProblemError('malformed_request', 'The body is not UTF-8 text. Encode it as UTF-8.');
  }
  const text = bytes.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  checkTokens(text);
  const value = parsed(text);
  const fault = faultIn(value);
  if (fault !== null) throw validationProblem([fault]);
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

/** Depth and numbers, outside of strings. Malformed text passes: the parser says what is wrong with it. */
function checkTokens(text: string): void {
  const token = /["[\]{}]|-?\d[\d.eE+-]*/g;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === '"') token.lastIndex = endOfString(text, match.index);
    else if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    else requireExact(found);
    if (depth > maxDepth) throw fieldProblem('', `nested deeper than ${maxDepth} levels`, 'too_deep');
  }
}

/** Place after the closing quote; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function requireExact(number: string): void {
  const value = Number(number);
  const isWhole = /^-?\d+$/.test(number);
  const isKept = isWhole ? BigInt(value) === BigInt(number) : true;
  if (Number.isNaN(value) || (Number.isFinite(value) && isKept)) return;
  const shown = number.length > 40 ? `${number.slice(0, 40)}...` : number;
  throw fieldProblem('', `the number ${shown} would lose digits; send it as a text`, 'inexact_number');
}

interface Place {
  value: unknown;
  key: string;
  parent: Place | null;
}

function faultIn(body: unknown): FieldFault | null {
  const open: Place[] = [{ value: body, key: '', parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'string' && textFault(value) !== null) {
      return { path: pointerTo(place), message: textFault(value) as string, code: 'invalid_text' };
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
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
  // A surrogate without its other half; with the flag u a pair is one character.
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
