import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportCommand } from './export.js';

const id = '00000000-0000-4000-8000-000000000001';
let folder: string;
let service: Server;
let asked: URL | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-export-'));
  service = createServer((request, response) => {
    asked = new URL(request.url ?? '/', 'http://x');
    response.end('a line\n');
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  service.close();
  await rm(folder, { recursive: true, force: true });
});

async function exported(...options: string[]): Promise<Record<string, string>> {
  asked = null;
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const args = [id, '--url', url, '--api-key', 'k', '-o', join(folder, 'out'), ...options];
  await exportCommand().parseAsync(args, { from: 'user' });
  const request = asked as URL | null;
  expect(request?.pathname).toBe(`/v1/embeddings/prediction-sets/${id}/export`);
  return Object.fromEntries(request?.searchParams ?? []);
}

it('writes the file, and asks for nothing that was not given', async () => {
  expect(await exported('--format', 'tsv')).toEqual({ format: 'tsv', database: 'local' });
  expect(await readFile(join(folder, 'out'), 'utf8')).toBe('a line\n');
});

it.each([
  [['--min-probability', '0.5'], { min_probability: '0.5' }],
  [['--min-score', '0.7'], { min_score: '0.7' }],
  [['--min-ic', '3.5'], { min_ic: '3.5' }],
  [['--aspect', 'F'], { aspect: 'F' }],
  [['--evidence', 'IDA,IMP'], { evidence: 'IDA,IMP' }],
  [['--all'], { all: 'true' }],
  [['--contradicted'], { contradicted: 'true' }],
  [['--slim', 'goslim_yeast'], { slim: 'goslim_yeast' }],
  [['--slim', 'goslim_yeast', '--slim-terms', 'all'], { slim: 'goslim_yeast', slim_terms: 'all' }],
  [['--database', 'NCBI'], { database: 'NCBI' }],
  [['--taxon', '9606'], { taxon: '9606' }],
])('asks for %s', async (options, query) => {
  expect(await exported('--format', 'gaf', ...options)).toEqual({
    format: 'gaf',
    database: 'local',
    ...query,
  });
});
