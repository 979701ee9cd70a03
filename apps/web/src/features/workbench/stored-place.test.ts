import { importBody } from '@kindred/contracts/resources/datasets';
import { referenceBody } from '@kindred/contracts/resources/rerankers';
import { expect, it } from 'vitest';
import { manifestIn, placeFault } from './stored-place.js';

it('finds the manifest of a folder however its address ends, as the service takes it', () => {
  for (const address of [
    's3://lab/datasets/theirs',
    ' s3://lab/datasets/theirs/ ',
    's3://lab/datasets/theirs/manifest.json',
  ]) {
    const found = manifestIn(address);
    expect(found).toBe('s3://lab/datasets/theirs/manifest.json');
    expect(importBody.safeParse({ name: 'theirs', manifest_uri: found }).success).toBe(true);
  }
});

it('says what is wrong with an address before it is sent, and nothing of one that the service takes', () => {
  const takes = (artifact_uri: string) => referenceBody.shape.artifact_uri.safeParse(artifact_uri).success;
  for (const good of ['s3://lab/models/model.txt', 'file:///srv/data/model.txt']) {
    expect(placeFault(good)).toBeNull();
    expect(takes(good)).toBe(true);
  }
  expect(placeFault('')).toBeNull();
  expect(placeFault('https://lab.example/model.txt')).toMatch(/address of the web/);
  expect(placeFault('models/model.txt')).toMatch(/^Begin with s3:/);
  expect(placeFault('s3://lab/my model.txt')).toMatch(/no space/);
});
