import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { expect, it } from 'vitest';
import { mark } from './mark.js';

// The server has the mark also if no web client is built.
it('is the mark of the web client', () => {
  const shapes = (svg: string) => svg.match(/<(rect|circle)[^>]*>| d="[^"]*"/g);
  const icon = readFileSync(join(repositoryRoot(), 'apps', 'web', 'public', 'favicon.svg'), 'utf8');
  expect(shapes(mark.toString())).toEqual(shapes(icon));
  expect(shapes(icon)).toHaveLength(5);
});
