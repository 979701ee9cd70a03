import { expect, it } from 'vitest';
import { anonymous, development } from '../accounts/principal.js';
import { jsonShownTo, shownTo } from './server-paths.js';

const reply = {
  obo_url: 'file:///srv/data/go.obo',
  ia_url: 'https://example.org/ia.tsv',
  payload: {
    files: ['file:///srv/data/a%20b.gaf.gz', 'file://localhost/srv/c.gaf'],
    folder: 'file:///srv/data/',
  },
  error_message: 'None of the 2 rows of file:///srv/data/x.gaf was kept, see "file:///srv/data/y.log".',
  progress: 3,
  nothing: null,
};

it('gives those below operator the names of files without their folders, wherever they are', () => {
  expect(shownTo(anonymous, reply)).toEqual({
    obo_url: 'go.obo',
    ia_url: 'https://example.org/ia.tsv',
    payload: { files: ['a%20b.gaf.gz', 'c.gaf'], folder: 'data' },
    error_message: 'None of the 2 rows of x.gaf was kept, see "y.log".',
    progress: 3,
    nothing: null,
  });
  expect(JSON.stringify(shownTo({ ...anonymous, role: 'researcher' }, reply))).not.toContain('srv');
  expect(reply.obo_url).toBe('file:///srv/data/go.obo');
});

it('gives operators the whole address', () => {
  for (const principal of [development, { ...anonymous, role: 'operator' as const }]) {
    expect(shownTo(principal, reply)).toBe(reply);
    expect(JSON.parse(jsonShownTo(principal, JSON.stringify(reply)))).toEqual(reply);
  }
});

it('reads a text only if it has such an address', () => {
  expect(JSON.parse(jsonShownTo(anonymous, JSON.stringify(reply)))).toEqual(shownTo(anonymous, reply));
  // Invalid JSON comes back unchanged, because reading it would throw.
  expect(jsonShownTo(anonymous, '{"rows":[0.5,"https://example.org/file')).toBe(
    '{"rows":[0.5,"https://example.org/file',
  );
});
