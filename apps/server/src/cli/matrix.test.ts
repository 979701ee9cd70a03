import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { matrixCommand } from './matrix.js';

const service = vi.hoisted(() => ({ post: vi.fn() }));
vi.mock('./api-client.js', () => ({ serviceClient: () => service }));

const ids = ['11111111-0000-4000-8000-000000000000', '22222222-0000-4000-8000-000000000000'];
const row = {
  ...{ go_id: 'GO:0005488', go_name: 'binding', aspect: 'F', counts: [50, 5], shares: [0.5, 0.05] },
  ...{ test: 'fisher', p_value: 1e-12, false_discovery_rate: 0.0123456789, least_expected: 27.5 },
};
const untested = {
  ...{ go_id: 'GO:0000001', go_name: 'a rare thing', aspect: 'P', counts: [1, 0], shares: [1 / 3, 0] },
  ...{ test: 'too_few', p_value: null, false_discovery_rate: null, least_expected: 0.5 },
};
const reply = {
  ...{ obo_version: 'releases/2026-01-01', slim: null, tested: 1, row_count: 9, rows: [row, untested] },
  proteomes: ids.map((prediction_set_id, at) => ({
    ...{ prediction_set_id, name: at === 0 ? '=yeast' : null, created_at: '', obo_version: '' },
    ...{ proteins: 100, annotated: 90, terms_left_out: at },
  })),
};

let folder: string;
let err: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-matrix-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  err = '';
  service.post.mockReset().mockResolvedValue(reply);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '');
});
afterEach(() => vi.restoreAllMocks());

async function written(...options: string[]): Promise<string> {
  const path = join(folder, 'out');
  const asked = [...ids, '--url', 'http://127.0.0.1:9', '-o', path, ...options];
  await matrixCommand().parseAsync(asked, { from: 'user' });
  return readFile(path, 'utf8');
}

it('writes a table with counts and shares of each proteome, and says what is left out', async () => {
  const lines = (await written()).trimEnd().split('\n');
  expect(lines.map((line) => line.split('\t'))).toEqual([
    [
      ...['go_id', 'go_name', 'aspect', 'test', 'p_value', 'false_discovery_rate', 'least_expected'],
      ...["'=yeast proteins", "'=yeast share", 'Run 22222222 proteins', 'Run 22222222 share'],
    ],
    ['GO:0005488', 'binding', 'F', 'fisher', '1e-12', '0.0123457', '27.5', '50', '0.5', '5', '0.05'],
    ['GO:0000001', 'a rare thing', 'P', 'too_few', '', '', '0.5', '1', '0.333333', '0', '0'],
  ]);
  expect(err).toContain('2 of 9 terms are given, 1 were tested, 1 of those given differ');
  expect(err).toContain('Run 22222222: 1 terms that this ontology does not have are left out.');
});

it('passes every choice on, and writes JSON and a picture', async () => {
  const choices = ['--slim', 'goslim_x', '--aspect', 'F', '--min-probability', '0.5', '--min-proteins', '3'];
  expect(JSON.parse(await written(...choices, '--format', 'json'))).toEqual(reply);
  expect(service.post.mock.lastCall?.[1].body).toEqual({
    ...{ prediction_set_ids: ids, slim: 'goslim_x', aspect: 'F', min_probability: 0.5, min_proteins: 3 },
    limit: 20_000,
  });
  const svg = await written('--format', 'svg');
  expect(service.post.mock.lastCall?.[1].body.limit).toBe(60);
  expect(svg).toContain('<title>GO:0005488 binding, =yeast: 50 of 100</title>');
  await expect(written('--format', 'svg', '--limit', '500')).rejects.toThrow('at most 200 rows');
});
