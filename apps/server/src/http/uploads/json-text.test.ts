import { ProblemError } from '@kindred/contracts';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.js';

/** The limit is the exact number of tokens of the bodies below. */
const most = 1000;

const refusal = (body: string | Buffer): ProblemError => {
  try {
    parseJson(Buffer.from(body), most);
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('the body was taken');
};

describe('a JSON body', () => {
  it.each([
    ['numbers', `[${'1,'.repeat(most)}1]`],
    ['texts', `[${'"",'.repeat(most)}""]`],
    ['objects', `[${'{},'.repeat(most)}{}]`],
    ['words', `[${'null,'.repeat(most)}true]`],
    ['keys', `{${Array.from({ length: most }, (_, i) => `"${i}":0`).join()}}`],
  ])('has a bound of %s, whatever their size', (_name, body) => {
    expect(refusal(body)).toMatchObject({ code: 'payload_too_large' });
    expect(parseJson(Buffer.from(body), 3 * most)).toEqual(JSON.parse(body));
  });

  it('is taken as it is written', () => {
    const value = {
      a: [1, -2.5e-3, 9007199254740992, 0.125],
      'b~/"\\': 'GO:0008150 ß 𝔸 \\u0000',
      constructor: 1,
    };
    expect(parseJson(Buffer.from(JSON.stringify(value)), most)).toEqual(value);
    expect(parseJson(Buffer.from(`\uFEFF{"a":"[[[[ 12345678901234567890 \\" ]"}`), most)).toEqual({
      a: '[[[[ 12345678901234567890 " ]',
    });
    expect(parseJson(Buffer.from(' \n'), most)).toBeUndefined();
  });

  it('is refused with the reason where it is not JSON or not UTF-8', () => {
    expect(refusal('{"operation":')).toMatchObject({ code: 'malformed_request' });
    expect(refusal('{"operation":').message).toMatch(/^The body is not JSON: /);
    expect(refusal(Buffer.from('{"name":"caf\xe9"}', 'latin1')).message).toMatch(/not UTF-8/);
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])).message).toMatch(/not UTF-8/);
  });

  it.each([
    ['brackets nested 5,000 deep', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, '', 'too_deep'],
    ['brackets that never close', '['.repeat(4 << 20), '', 'too_deep'],
    ['an integer that a double cannot hold', '{"payload":{"n":12345678901234567890}}', '', 'inexact_number'],
    ['an integer of 400 digits', `{"n":${'9'.repeat(400)}}`, '', 'inexact_number'],
    ['a negative one', `{"n":-${'9'.repeat(400)}}`, '', 'inexact_number'],
    ['a number beyond all doubles', '{"n":1e400}', '', 'inexact_number'],
    ['a key given twice', '{"a":{"b":1,"c":2,"b":3}}', '', 'duplicate_key'],
    ['__proto__', '{"payload":{"__proto__":{"a":1}}}', '/payload/__proto__', 'forbidden_key'],
    ['__proto__ in escapes', '{"a":[{"\\u005f_proto__":1}]}', '/a/0/__proto__', 'forbidden_key'],
    ['constructor.prototype', '{"constructor":{"prototype":{}}}', '/constructor', 'forbidden_key'],
    ['U+0000', '{"a":{"b":"x\\u0000y"}}', '/a/b', 'invalid_text'],
    ['half of a surrogate pair', '{"a":["\\ud800"]}', '/a/0', 'invalid_text'],
  ])('is refused for %s, with its place', (_name, body, path, code) => {
    expect(refusal(body)).toMatchObject({ code: 'validation_failed', errors: [{ path, code }] });
  });
});
