import { expect, it } from 'vitest';
import { readAfter } from './cursor.js';

it('reads a time alone, and the cursor of a Link header, whose plus may arrive as a space', () => {
  const id = '00000000-0000-4000-8000-00000000000a';
  expect(readAfter(undefined)).toBeUndefined();
  expect(readAfter('2026-01-01T00:00:00.000001Z')).toEqual({
    createdAt: '2026-01-01T00:00:00.000001Z',
    id: null,
  });
  const createdAt = '2026-01-01T02:00:00+02:00';
  expect(readAfter(`${createdAt}_${id}`)).toEqual({ createdAt, id });
  expect(readAfter(`${createdAt.replace('+', ' ')}_7`, 'number')).toEqual({ createdAt, id: '7' });
});

it.each(['yesterday', '2026-01-01', '2026-01-01T00:00:00', '2026-99-01T00:00:00Z', '2026-01-01T00:00:00Z_x'])(
  'refuses the cursor %s',
  (text) => {
    expect(() => readAfter(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  },
);
