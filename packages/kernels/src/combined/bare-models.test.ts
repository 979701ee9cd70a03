import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseLightgbmModel } from '../reranker/index.js';
import { calibrationRule } from '../calibration/index.js';
import { bareColumns, bareFeatures, type ProbabilityCurve } from './index.js';

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
      bareColumns.map((column) => bareFeatures[column]),
    );
  },
);

it('has curves only where their test allows them, and never says more than it allows', () => {
  const curves = JSON.parse(read('bare-calibration.json').toString()) as ProbabilityCurve[];
  const tests = JSON.parse(read('bare-calibration-test.json').toString()) as {
    aspect: string;
    error: number;
    error_from_10: number;
    claimed: number;
    right: number;
  }[];
  const { largestError, minRight, sure } = calibrationRule;
  const allowed = tests.filter(({ error, error_from_10 }) => Math.max(error, error_from_10) <= largestError);
  expect(curves.map(({ aspect }) => aspect)).toEqual(allowed.map(({ aspect }) => aspect));
  for (const { aspect, bins, kingdoms } of curves) {
    expect(kingdoms).toEqual(['Eukaryota']);
    const { claimed, right } = tests.find((one) => one.aspect === aspect)!;
    const shown = bins.flatMap(({ probability }) => (probability === null ? [] : [probability]));
    expect(shown.every((value, i) => i === 0 || value >= shown[i - 1])).toBe(true);
    if (right < minRight * claimed) expect(Math.max(...shown)).toBeLessThan(sure);
    else expect(Math.max(...shown)).toBeGreaterThanOrEqual(sure);
  }
});
