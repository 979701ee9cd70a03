import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseLightgbmModel } from '../reranker/index.js';
import { bareColumns, bareFeatures, knownColumns } from './index.js';

const read = (name: string): Buffer =>
  readFileSync(new URL(`../../../../models/combined/${name}`, import.meta.url));
const kinds = [
  { kind: 'bare', read: bareColumns },
  { kind: 'known', read: knownColumns },
];

describe.each(kinds)('the models of eukaryotes, $kind', ({ kind, read: columns }) => {
  const { models_sha256: digests } = JSON.parse(read(`${kind}-provenance.json`).toString()) as {
    models_sha256: Record<string, string>;
  };

  it.each(['P', 'F', 'C'])('read their columns, and are the files of their provenance: %s', (aspect) => {
    const bytes = read(`${kind}.${aspect}.txt`);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(digests[aspect]);
    expect(parseLightgbmModel(bytes.toString()).featureNames).toEqual(
      columns.map((column) => bareFeatures[column]).filter((name) => !name.startsWith('network_')),
    );
  });
});
