import { describe, expect, it } from 'vitest';
import { acceptsGzip, asksFor, prefersHtml } from './accept.js';

describe('prefersHtml', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    ['text/html', true],
    ['*/*', false],
    [undefined, false],
    ['application/json, text/html', false],
    ['application/json;q=0.5, text/html', true],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0', false],
    ['application/json, text/plain, */*', false],
  ])('%s -> %s', (accept, expected) => expect(prefersHtml(accept)).toBe(expected));
});

describe('acceptsGzip', () => {
  it.each([
    ['gzip, deflate, br', true],
    ['gzip;q=0', false],
    ['*', true],
    ['identity', false],
    [undefined, false],
    ['*;q=0, gzip', true],
  ])('%s -> %s', (header, expected) => expect(acceptsGzip(header)).toBe(expected));
});

it('asksFor wants the type by name', () => {
  expect(asksFor('text/event-stream', 'text/event-stream')).toBe(true);
  expect(asksFor('*/*', 'text/event-stream')).toBe(false);
});
