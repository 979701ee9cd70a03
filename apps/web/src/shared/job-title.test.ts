import { operationRows } from '@kindred/contracts/operations';
import { expect, it } from 'vitest';
import { jobTitle } from './job-title.js';

it('names every operation in words', () => {
  for (const { name } of operationRows) expect(jobTitle(name)).toMatch(/^[A-Z][A-Za-z0-9 ]+$/);
  expect(jobTitle('export_things')).toBe('Export things');
});
