import { afterEach, expect, it, vi } from 'vitest';
import { referenceCommand } from './reference.js';

const service = vi.hoisted(() => ({ get: vi.fn(), run: vi.fn() }));
vi.mock('./api-client.js', () => ({ serviceClient: () => service }));

const [built, changed] = ['a'.repeat(64), 'b'.repeat(64)];
afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

async function verified(result: object): Promise<{ text: string; exitCode: unknown }> {
  service.get.mockResolvedValue({ id: 'r', name: 'mine', version: '2' });
  service.run.mockResolvedValue({ status: 'SUCCEEDED', result });
  const out: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const asked = ['verify', 'mine', '--quiet', '--url', 'http://127.0.0.1:9'];
  await referenceCommand().parseAsync(asked, { from: 'user' });
  return { text: out.join(''), exitCode: process.exitCode };
}

it('says that a reference is the one that was built', async () => {
  const intact = { is_intact: true, content_sha256: built, found_sha256: built };
  const { text, exitCode } = await verified({ ...intact, vectors: [{ expected: 2, found: 2 }] });
  expect(service.run.mock.lastCall?.[0]).toMatchObject({
    operation: 'verify_reference',
    payload: { reference_id: 'r' },
  });
  expect(text).toBe(`The rows of mine@2 are those that it was built with (SHA-256 ${built}).\n`);
  expect(exitCode).toBeUndefined();
});

it('says what of it has changed and what to do, with exit code 1', async () => {
  const differs = { is_intact: false, content_sha256: built, found_sha256: changed };
  const { text, exitCode } = await verified({ ...differs, vectors: [{ expected: 2000, found: 1999 }] });
  expect(text.split('\n')).toEqual([
    `The rows of mine@2 have changed: SHA-256 ${changed}, built with ${built}. Restore a backup, or build it again.`,
    '1,999 of 2,000 vectors are there. Build the reference again.',
    '',
  ]);
  expect(exitCode).toBe(1);
});

it('lists references as JSON for other programs', async () => {
  const rows = [{ id: 'r', name: 'mine', version: '2' }];
  service.get.mockResolvedValueOnce(rows);
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await referenceCommand().parseAsync(['list', '--json', '--url', 'http://127.0.0.1:9'], { from: 'user' });
  expect(JSON.parse(String(write.mock.lastCall?.[0]))).toEqual(rows);
});

it('tests a reference on demand, and prints how often each word was right', async () => {
  const found = { id: 'r', name: 'mine', version: '2', status: 'complete' };
  const rate = { meaning: 'held by the databases', calls: 9000, said: 0.9 };
  const reliability = {
    ...{ method: 'combined', model_name: 'kmer-1024', held_out: 1400, answered: 1311, why_not: null },
    aspects: [{ aspect: 'MFO', proteins: 700, fmax: 0.61, low: 0.58, high: 0.64, coverage: 0.9 }],
    words: [
      { ...rate, word: 'strong', proteins: 812, right: 0.961, low: 0.95, high: 0.97 },
      { ...rate, word: 'weak', proteins: 12, right: null, low: null, high: null },
    ],
  };
  service.get.mockResolvedValueOnce(found).mockResolvedValueOnce({ ...found, reliability });
  service.run.mockResolvedValue({ status: 'SUCCEEDED', result: {} });
  const out: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const asked = ['test', 'mine', '--quiet', '--url', 'http://127.0.0.1:9'];
  await referenceCommand().parseAsync(asked, { from: 'user' });
  expect(service.run.mock.lastCall?.[0]).toMatchObject({
    operation: 'measure_reference',
    payload: { reference_id: 'r' },
  });
  expect(out.join('').split('\n')).toEqual([
    'Reference mine@2',
    '  reliability  1,400 of its proteins, asked without their own annotations, 1,311 answered',
    '               Fmax against experiments: MFO 0.610 (0.580-0.640; 700 proteins)',
    '               right, held by the databases: strong 96 % (95 to 97, n = 812), weak too few (n = 12)',
    '',
  ]);
});
