import { afterEach, expect, it, vi } from 'vitest';
import { Client, hasStatus, Problem } from './index.js';
import { testsOfReferences } from './reference-tests.js';

const words = [
  { meaning: 'held by the databases', word: 'strong', proteins: 120, calls: 300, said: 0.97 },
  { meaning: 'held by the databases', word: 'weak', proteins: 40, calls: 60, said: 0.1 },
].map((one, at) => ({
  ...one,
  ...(at === 0 ? { right: 0.95, low: 0.9, high: 0.98 } : { right: null, low: null, high: null }),
}));
const tested = { reliability: { held_out: 150, answered: 140, words } };

afterEach(() => void vi.unstubAllGlobals());

/** Gives a client of a service that has the references `tested@1` and `untested@1`. */
function clientOf(asked: string[], broken = false): Client {
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const name = decodeURIComponent(String(address)).split('/').at(-1) ?? '';
    asked.push(name);
    const found = { 'tested@1': tested, 'untested@1': { reliability: null } }[name];
    const status = broken ? 503 : found === undefined ? 404 : 200;
    return Response.json(found ?? {}, { status });
  });
  return new Client({ baseUrl: 'http://service' });
}
const named = (name: string) => ({ name, version: '1' });
const run = {
  method: 'combined',
  reference: named('tested'),
  more_references: [named('untested'), named('deleted')],
};
const isAbsent = (error: unknown) => hasStatus(error, 404);

it('says what was found of each reference that was tested and is there', async () => {
  const asked: string[] = [];
  const [[name, found], ...others] = await testsOfReferences(clientOf(asked), run, isAbsent);
  expect(asked).toEqual(['tested@1', 'untested@1', 'deleted@1']);
  expect([name, others]).toEqual(['tested@1', []]);
  expect(found).toContain('150 of its own proteins');
  expect(found).toContain('strong 95 % (90 to 98, n = 120), weak too few (n = 40)');
});

it('asks nothing for another method, whose answers were not tested', async () => {
  const asked: string[] = [];
  expect(await testsOfReferences(clientOf(asked), { ...run, method: 'knn' }, isAbsent)).toEqual([]);
  expect(asked).toEqual([]);
});

it('passes another error on', async () => {
  await expect(testsOfReferences(clientOf([], true), run, isAbsent)).rejects.toBeInstanceOf(Problem);
});
