import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bibTex, methodsSentence, productTitle } from './citation.js';

const set = {
  ...{ method: 'combined', runner: null, embedding_config_name: 'kmer-1024', more_embedding_configs: [] },
  ...{ embedding_config_id: 'x', annotation_set_label: null, protein_count: 25, parameters: {} },
  reference: { name: 'human', version: '2022-09', content_sha256: 'ab12' },
  more_references: [{ name: 'yeast', version: '2022-10', content_sha256: null }],
  ...{ obo_version: 'releases/2022-07-01', created_at: '2026-11-27T20:00:00Z' },
  statistics: { namesakes: 0 },
} as unknown as Parameters<typeof methodsSentence>[0];

it('says how many proteins, by which method, from which references, with which ontology, and when', () => {
  expect(methodsSentence(set, '9.9')).toMatch(
    /^Gene Ontology terms of 25 proteins were predicted with Kindred 9\.9 \(method combined, similarity model kmer-1024.*\) from the references human@2022-09, SHA-256 ab12; yeast@2022-10, with the Gene Ontology of releases\/2022-07-01, on 2026-11-27\./,
  );
});

it('says what was not checked', () => {
  expect(methodsSentence(set, '9.9')).toContain(' Not checked: ');
});

it('calls the product as its citation file does, in entries that are closed', () => {
  const file = readFileSync(new URL('../../../CITATION.cff', import.meta.url), 'utf8');
  expect(file).toContain(`title: "${productTitle}"`);
  const entries = bibTex('9.9', '2026');
  expect(entries).toContain('version = {9.9}');
  expect(entries.split('{').length).toBe(entries.split('}').length);
  expect(entries.match(/^@\w+\{\w+,$/gm)).toHaveLength(4);
});
