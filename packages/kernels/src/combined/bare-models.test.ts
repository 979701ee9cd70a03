import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseLightgbmModel } from '../reranker/index.js';
import { bareColumns, bareFeatures } from './index.js';

const read = (name: string): Buffer =>
  readFileSync(new URL(`../../../../models/combined/${name}`, import.meta.url));
const provenance = JSON.parse(read('bare-provenance.json').toString()) as {
  models_sha256: Record<string, string>;
};

it.each(['P', 'F', 'C'])(
  'reads the columns of bare sequences, and is the file of its provenance: %s',
  (aspect) => {
    const bytes = read(`bare.${aspect}.txt`);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(provenance.models_sha256[aspect]);
    expect(parseLightgbmModel(bytes.toString()).featureNames).toEqual(
      bareColumns.map((column) => bareFeatures[column]).filter((name) => !name.startsWith('network_')),
    );
  },
);
