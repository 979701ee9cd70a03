import { describe, expect, it } from 'vitest';
import {
  categoryFeatures,
  featureColumns,
  featureNames,
  featureSchemaSha,
  numericFeatures,
  schemaSha,
} from './index.js';

describe('the feature columns', () => {
  it('are 56, of which 4 are categories, each once', () => {
    expect(featureNames).toHaveLength(56);
    expect(new Set(featureNames).size).toBe(56);
    expect(numericFeatures).toHaveLength(52);
    expect(categoryFeatures).toEqual(['qualifier', 'evidence_code', 'taxonomic_relation', 'aspect']);
    expect(featureNames.slice(-4)).toEqual(categoryFeatures);
  });

  it('have the fingerprint that producers of this set publish', () => {
    expect(featureSchemaSha.slice(0, 12)).toBe('6d97a624b8a7');
    expect(featureSchemaSha).toHaveLength(16);
  });

  it('are filled without any flag only where nothing is computed for them', () => {
    const always = featureColumns.filter((column) => column.flags.length === 0).map((column) => column.name);
    expect(always).toEqual(['distance', 'qualifier', 'evidence_code', 'aspect']);
  });
});

describe('schemaSha', () => {
  it('looks at names and their order, and writes text as Python does', () => {
    expect(schemaSha(['a', 'b'])).not.toBe(schemaSha(['b', 'a']));
    // The digest is that of json.dumps(["a", "é\"", "😀"]) in Python 3.
    expect(schemaSha(['a', 'é"', '😀'])).toBe('2d65f180c303bce3');
  });
});
