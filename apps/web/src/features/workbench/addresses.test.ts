import { expect, it } from 'vitest';
import { addressOf, addressOfFormer, partsOf, pathOfPart } from './addresses.js';
import { resources, sections, type Section } from './resources.js';

/** The keys of the pages that the workbench had, each with the page that has the part now. */
const former: Readonly<Record<Section, readonly string[]>> = {
  references: [
    'references',
    'reference',
    'ontologies',
    'slims',
    'annotations',
    'models',
    'proteins',
    'taxa',
    'domains',
  ],
  evaluate: ['evaluation-sets', 'runs', 'scores', 'rerankers', 'datasets', 'experiments', 'benchmark'],
  operation: [
    'jobs',
    'operations',
    'uploads',
    'workers',
    'dead-letters',
    'maintenance',
    'plugins',
    'feedback',
  ],
  people: ['accounts', 'keys', 'quotas'],
};

it('leads from each page of the former workbench to the part that took its place', () => {
  for (const [section, keys] of Object.entries(former))
    for (const key of keys) {
      const part = resources.find((one) => one.key === key);
      expect([key, part?.section]).toEqual([key, section]);
      expect(addressOfFormer(key)).toEqual(part && addressOf(part));
    }
  expect(addressOfFormer('no such page')).toEqual({
    to: '/evaluate/{-$part}',
    params: { part: 'experiments' },
  });
});

it('gives every part an address of its own, and the first part of a page that of the page', () => {
  const paths = resources.map((one) => pathOfPart(one));
  expect(new Set(paths).size).toBe(resources.length);
  for (const section of Object.keys(sections) as Section[])
    expect(partsOf(section).map(pathOfPart)).toContain(`/${section}`);
  expect(paths).toContain('/operation/dead-letters');
});
