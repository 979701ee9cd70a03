import { ProblemError } from '@kindred/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runsCommand } from './runs.js';

const service = vi.hoisted(() => ({ get: vi.fn(), page: vi.fn(), delete: vi.fn() }));
vi.mock('./api-client.js', () => ({ serviceClient: () => service }));

const yeast = { name: 'yeast', version: '2026-01', organisms: [], protein_count: 6000 };
const run = {
  ...{
    id: 'r1',
    job_id: 'j1',
    method: 'combined',
    runner: null,
    query_set_id: 'q1',
    query_set_name: 'my.fasta',
  },
  ...{ embedding_config_name: 'k-mers', annotation_set_label: null, reference: yeast, more_references: [] },
  ...{
    ontology_snapshot_version: 'releases/2026-01-01',
    status: 'complete',
    query_count: 2,
    protein_count: 2,
  },
  ...{ parameters: { taxon_constraints: 'go 2026' }, created_at: '2026-11-27T16:00:12.5Z', expires_at: null },
};
const statistics = {
  ...{ proteins_with_predictions: 1500, proteins_without_predictions: 1, namesakes: 0 },
  ...{ pair_count: 31_000, term_count: 900 },
};

let out: string;
let err: string;
beforeEach(() => {
  [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '');
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const one of Object.values(service)) one.mockReset();
});
const call = (...asked: string[]) =>
  runsCommand().parseAsync([...asked, '--url', 'http://127.0.0.1:9'], { from: 'user' });

it('lists runs over several pages, with their state, and as JSON', async () => {
  const filling = { ...run, id: 'r2', query_set_name: null, status: 'filling', protein_count: 1 };
  const pages = () =>
    service.page
      .mockResolvedValueOnce({ rows: [run], next: 'c' })
      .mockResolvedValueOnce({ rows: [filling], next: null });
  pages();
  await call('list');
  expect(service.page.mock.lastCall?.[1]).toEqual({ query: { limit: 49, after: 'c' } });
  expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
    ['run', 'name', 'made', 'state', 'proteins'],
    ['r1', 'my.fasta', '2026-11-27 16:00', 'complete', '2'],
    ['r2', 'Proteins of the catalogue', '2026-11-27 16:00', 'running, 1 of 2', '1'],
    [''],
  ]);
  expect(out).toContain('yeast@2026-01');
  out = '';
  pages();
  await call('list', '--json');
  expect(JSON.parse(out)).toEqual([run, filling]);
});

it('takes no more runs than asked for, and says what makes one where there is none', async () => {
  service.page.mockResolvedValueOnce({ rows: [run], next: 'c' });
  await call('list', '--limit', '1');
  expect(service.page).toHaveBeenCalledTimes(1);
  out = '';
  service.page.mockResolvedValueOnce({ rows: [], next: null });
  await call('list');
  expect(out).toBe('There are no runs. kindred annotate <proteins> makes one.\n');
});

it('shows a run with its counts and the checks that nobody made', async () => {
  service.get.mockResolvedValue({ ...run, statistics, parameters: {} });
  await call('show', 'r1');
  expect(out).toMatch(/^my\.fasta \(r1\)\n {2}state {8}complete\n/);
  expect(out).toContain('  proteins     1,500 with predictions, 1 without\n');
  expect(out).toContain('  not checked  Taxon constraints: none were loaded');
});

it('removes a run with its upload, and says what goes with it', async () => {
  service.get.mockImplementation(async (path: string, { params }: { params: { kind?: string } }) => {
    if (path.startsWith('/embeddings')) return { ...run, statistics };
    if (params.kind === 'query_set') throw new ProblemError('role_too_low', 'not yours');
    const rows = { kind: 'evaluation_result', count: 1, words: 'evaluation result', names: ['NK'] };
    return { first: [], deleted: [rows], kept: [] };
  });
  service.delete.mockImplementation(async (path: string) => {
    if (path.startsWith('/query-sets')) throw new ProblemError('not_found', 'gone');
  });
  await call('remove', 'r1');
  expect(service.delete.mock.calls.map(([path]) => path)).toEqual([
    '/embeddings/prediction-sets/:id',
    '/query-sets/:id',
  ]);
  expect(err).toContain('1 evaluation result');
  expect(out).toBe('Removed the run my.fasta (r1).\n');
});

it('does not say that a run was removed where it was refused', async () => {
  service.get.mockResolvedValue({ ...run, statistics, first: [], deleted: [], kept: [] });
  service.delete.mockRejectedValue(new ProblemError('conflict', 'Its job runs: cancel it first.'));
  await expect(call('remove', 'r1')).rejects.toThrow('cancel it first');
  expect(out).toBe('');
});
