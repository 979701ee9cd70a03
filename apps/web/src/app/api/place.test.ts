import { expect, it } from 'vitest';
import { placeOf } from './place.js';

it.each([
  ['./', '/', '/', ''],
  ['../', '/', '/jobs/1', ''],
  ['./', '/kindred/', '/kindred/', '/kindred'],
  ['../../', '/tools/kindred/', '/tools/kindred/help/how-to/operate', '/tools/kindred'],
])('finds the service at %s of a page of %s', (root, basePath, path, expected) => {
  const place = placeOf({ root, basePath }, { href: `https://lab.example${path}?q=../#top` });
  expect(place).toEqual({ service: expected, pages: expected, unknown: null });
});

it('shows pages at the root to whoever uses the own port of a service with a path', () => {
  const place = placeOf({ root: '../', basePath: '/kindred/' }, { href: 'http://127.0.0.1:8000/jobs/1' });
  expect(place).toEqual({ service: '/kindred', pages: '', unknown: null });
});

it('knows that it is below a path that the service was not set up for', () => {
  const at = (basePath: string) =>
    placeOf({ root: '../', basePath }, { href: 'https://lab.example/tools/jobs/1' }).unknown;
  expect([at('/'), at('/kindred/'), at('/tools/')]).toEqual([
    'https://lab.example/tools',
    'https://lab.example/tools',
    null,
  ]);
});
