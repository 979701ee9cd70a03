import { bibTex } from '@kindred/contracts/citation';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { productVersion } from '../ground/version.js';
import { citeCommand } from './cite.js';

const service = vi.hoisted(() => ({ get: vi.fn() }));
vi.mock('./api-client.js', () => ({ serviceClient: () => service }));

const set = {
  ...{ method: 'combined', runner: null, embedding_config_name: 'k-mers', more_embedding_configs: [] },
  ...{ annotation_set_label: null, protein_count: 1, parameters: {}, more_references: [] },
  reference: { name: 'yeast', version: '2026-01', content_sha256: null },
  ...{ obo_version: 'releases/2026-01-01', created_at: '2025-11-27T20:00:00Z', statistics: { namesakes: 0 } },
};

let out: string;
beforeEach(() => {
  out = '';
  service.get.mockResolvedValue(set);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '');
});
afterEach(() => vi.restoreAllMocks());
const cite = (...options: string[]) =>
  citeCommand().parseAsync(['r1', '--url', 'http://127.0.0.1:9', ...options], { from: 'user' });

it('writes a paragraph for the methods, then BibTeX of the year of the run', async () => {
  await cite();
  expect(service.get.mock.lastCall?.[1]).toEqual({ params: { id: 'r1' } });
  const [methods, ...entries] = out.split('\n\n');
  expect(methods).toContain(
    `Gene Ontology terms of 1 protein were predicted with Kindred ${productVersion} (`,
  );
  expect(methods).toContain('from the reference yeast@2026-01');
  expect(entries.join('\n\n')).toBe(bibTex(productVersion, '2025'));
});

it('writes BibTeX alone', async () => {
  await cite('--bibtex');
  expect(out).toBe(bibTex(productVersion, '2025'));
});
