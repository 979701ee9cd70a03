import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { whatsNewCommand } from './whats-new.js';

const service = vi.hoisted(() => ({ get: vi.fn() }));
vi.mock('./api-client.js', () => ({ serviceClient: () => service }));

const reply = {
  ...{ since: '2024-06-01', newest: '2025-06-01', references: ['human@1'], proteins: 3, known_proteins: 2 },
  ...{ row_count: 2, new_proteins: 1, older: 40, undated: 1, electronic: true },
  rows: [
    {
      ...{ annotation_date: '2025-06-01', protein: 'Q1', known_accession: 'P00001', go_id: 'GO:0005515' },
      ...{ go_name: 'protein binding', aspect: 'F', is_new_term: true, qualifier: null, basis: 'experiment' },
      ...{ evidence_code: 'IPI', db_reference: 'PMID:1', with_from: null, assigned_by: 'UniProt' },
    },
  ],
};

let folder: string;
let err: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-whats-new-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  err = '';
  service.get.mockReset().mockResolvedValue(reply);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '');
});
afterEach(() => vi.restoreAllMocks());

async function written(...options: string[]): Promise<string> {
  const path = join(folder, 'out');
  await whatsNewCommand().parseAsync(['RUN', '--url', 'http://127.0.0.1:9', '-o', path, ...options], {
    from: 'user',
  });
  return readFile(path, 'utf8');
}

it('writes a line for each new annotation, and says what it cannot tell', async () => {
  const lines = (await written()).trimEnd().split('\n');
  expect(lines.map((line) => line.split('\t'))).toEqual([
    [
      ...['annotation_date', 'protein', 'known_accession', 'go_id', 'go_name', 'aspect', 'is_new_term'],
      ...['qualifier', 'basis', 'evidence_code', 'db_reference', 'with_from', 'assigned_by'],
    ],
    [
      ...['2025-06-01', 'Q1', 'P00001', 'GO:0005515', 'protein binding', 'F', 'true', '', 'experiment'],
      ...['IPI', 'PMID:1', '', 'UniProt'],
    ],
  ]);
  expect(err).toContain('2 annotations of 1 protein since 2024-06-01; 40 are older.');
  expect(err).toContain('human@1 knows 2 proteins of 3');
  expect(err).toContain('1 annotation without a day is left out');
  expect(err).toContain('The newest 1 is given');
  expect(err).toContain('that of its last run');
});

it('passes every choice on, writes JSON, and says that nothing is known', async () => {
  service.get.mockResolvedValue({ ...reply, known_proteins: 0, rows: [] });
  const json = await written('--since', '2025-01-01', '--no-electronic', '--limit', '5', '--format', 'json');
  expect(JSON.parse(json)).toMatchObject({ known_proteins: 0, rows: [] });
  expect(service.get.mock.lastCall?.[1]).toEqual({
    params: { id: 'RUN' },
    query: { since: '2025-01-01', electronic: 'false', limit: 5 },
  });
  expect(err).toBe('No reference of the run knows one of its 3 proteins, so nothing is known of them.\n');
});
