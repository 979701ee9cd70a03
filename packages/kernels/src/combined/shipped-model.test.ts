import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createContributionWalker,
  createPlainWalker,
  parseLightgbmModel,
  predictWith,
} from '../reranker/index.js';
import { expectNear } from '../reranker/testing/near.js';
import { combinedFeatures } from './index.js';

interface Case {
  aspect: string;
  features: string[];
  rows: (number | null)[][];
  raw: number[];
  probability: number[];
  contributions: number[][];
}

const { cases } = JSON.parse(
  gunzipSync(readFileSync(new URL('golden/model-rows.json.gz', import.meta.url))).toString(),
) as { cases: Case[] };
const folder = new URL('../../../../models/combined/', import.meta.url);
const text = (aspect: string): string => readFileSync(new URL(`${aspect}.txt`, folder), 'utf8');

describe('the shipped models of the combination', () => {
  it('have at most 1 MB of text in all, and say where they come from', () => {
    const size = cases.reduce((sum, { aspect }) => sum + text(aspect).length, 0);
    expect(size).toBeLessThanOrEqual(1_000_000);
    expect(existsSync(new URL('provenance.json', folder))).toBe(true);
  });

  it.each(cases)('have no column that was missing in all of the training: $aspect', ({ aspect }) => {
    const [, infos] = /^feature_infos=(.*)$/m.exec(text(aspect)) ?? [];
    expect(infos?.split(' ')).toHaveLength(combinedFeatures.length);
    expect(infos?.split(' ')).not.toContain('none');
  });

  it.each(cases)(
    'give what LightGBM gives: $aspect',
    ({ aspect, features, rows, raw, probability, contributions }) => {
      const model = parseLightgbmModel(text(aspect));
      expect(model.featureNames).toEqual(features);
      expect(features.filter((name) => !combinedFeatures.includes(name as never))).toEqual([]);
      const matrix = Float64Array.from(rows.flat(), (value) => value ?? Number.NaN);
      const walker = createPlainWalker(model);
      expectNear([[...walker.rawScores(matrix)]], [raw]);
      expectNear([[...predictWith(walker, model, matrix)]], [probability]);
      const first = matrix.subarray(0, contributions.length * features.length);
      const width = features.length + 1;
      const found = createContributionWalker(model).contributions(first);
      expectNear(
        contributions.map((_, row) => [...found.subarray(row * width, (row + 1) * width)]),
        contributions,
      );
    },
  );
});
