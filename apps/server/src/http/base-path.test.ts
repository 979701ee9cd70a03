import { expect, it } from 'vitest';
import { withoutBasePath } from './base-path.js';

it.each([
  ['/kindred', '/'],
  ['/kindred?repeat=1', '/?repeat=1'],
  ['/kindred/', '/'],
  ['/kindred/v1/jobs?limit=1', '/v1/jobs?limit=1'],
  ['/v1/jobs', '/v1/jobs'],
  ['/kindred-2/v1/jobs', '/kindred-2/v1/jobs'],
  ['*', '*'],
])('has %s as %s', (url, path) => {
  expect(withoutBasePath('/kindred', url)).toBe(path);
});
