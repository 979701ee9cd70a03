import { experimentalEvidence } from '@kindred/contracts';
import { sourceChoices } from '@kindred/contracts/resources/prediction-sets';
import { expect, it } from 'vitest';
import { sourceChoiceNames, evidenceGroups, evidenceOf } from './evidence.js';

it('knows every experimental code', () => {
  for (const code of experimentalEvidence) {
    expect(evidenceOf(code).kind).toBe('experiment');
    expect(evidenceOf(code).meaning).not.toContain(code);
  }
});

it('tells electronic from reviewed evidence, and shows codes that it does not know', () => {
  expect(evidenceOf('IEA').kind).toBe('electronic');
  expect(evidenceOf('IBA').kind).toBe('curator');
  expect(evidenceOf('XYZ')).toEqual({ kind: 'unknown', meaning: 'Evidence code XYZ' });
  expect(evidenceOf(null).kind).toBe('unknown');
  expect(evidenceOf('ECO:0000000')).toEqual({ kind: 'unknown', meaning: 'No evidence code is recorded' });
});

it('names every group of evidence that the service knows', () => {
  expect(Object.keys(sourceChoiceNames)).toEqual(Object.keys(sourceChoices));
  expect(sourceChoices.evidence.item.options).toEqual(expect.arrayContaining([...evidenceGroups]));
});
