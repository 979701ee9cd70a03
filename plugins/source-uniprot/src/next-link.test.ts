import { describe, expect, it } from 'vitest';
import { nextLink } from './next-link.js';

const base = 'https://rest.example.org/search?x=1';

describe('nextLink', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['<https://a.org/?cursor=1&size=5>; rel="next"', 'https://a.org/?cursor=1&size=5'],
    ['<https://a.org/1>; rel=next', 'https://a.org/1'],
    ['</p?cursor=2>; rel="next"', 'https://rest.example.org/p?cursor=2'],
    ['<https://a.org/0>; rel="prev", <https://a.org/2>; rel="next"', 'https://a.org/2'],
    ['<https://a.org/2>; title="a, b; rel=x"; rel="last next"', 'https://a.org/2'],
    ['<https://a.org/2>; rel="nextish"', null],
    ['<https://a.org/a,b>; rel="NEXT"', 'https://a.org/a,b'],
  ])('%j gives %j', (header, expected) => {
    expect(nextLink(header, base)).toBe(expected);
  });
});
