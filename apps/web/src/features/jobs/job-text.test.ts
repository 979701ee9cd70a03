import { expect, it } from 'vitest';
import { eventLine } from './job-text.js';

const event = {
  id: 1,
  job_id: '00000000-0000-4000-8000-000000000001',
  ts: '2026-01-01T00:00:00Z',
  level: 'info',
  event: 'x',
} as const;

it('shows the message of an event, or its fields', () => {
  expect(eventLine({ ...event, message: 'All stored.', fields: { n: 1 } })).toBe('All stored.');
  const fields = {
    rows: 77317,
    gone: null,
    load_average: 0.5,
    name: 'goa',
    list: [1, 2],
    result: { batches: 16, by: null },
  };
  expect(eventLine({ ...event, message: null, fields })).toBe(
    'rows: 77,317, load average: 0.5, name: goa, list: 1 2, result: (batches 16, by null)',
  );
});
