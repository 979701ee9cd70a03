import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { TaxonomyBuilder } from './builder.js';
import { compareTaxa } from './compare.js';
import { readMergedTaxa, readTaxonNodes } from './dump.js';

async function load(nodes: string, merged?: string) {
  const builder = new TaxonomyBuilder();
  for await (const batch of readTaxonNodes(gunzipSync(readFileSync(nodes)))) {
    expect(batch.rejected).toEqual([]);
    for (const node of batch.records) builder.addNode(node);
  }
  if (merged !== undefined) {
    for await (const batch of readMergedTaxa(gunzipSync(readFileSync(merged)))) {
      for (const one of batch.records) builder.addMerged(one);
    }
  }
  return builder.finish();
}

describe('the taxonomy of the example set', () => {
  it('is one tree of 185 taxa', async () => {
    const built = await load(join(repositoryRoot(), 'examples', 'nodes.dmp.gz'));
    expect(built.rejectedNodes).toEqual([]);
    expect(built.taxonomy.size).toBe(185);
  });

  // The taxa are human, mouse, chicken, yeast, E. coli, Bacillus and Methanocaldococcus, counted along the parents of nodes.dmp (2013).
  it.each([
    [9606, 10_090, { lca: 314_146, distance: 18, commonAncestors: 22, relation: 'close' }],
    [9606, 9031, { lca: 32_524, distance: 28, commonAncestors: 18, relation: 'close' }],
    [9606, 559_292, { lca: 33_154, distance: 38, commonAncestors: 4, relation: 'intermediate' }],
    [9606, 83_333, { lca: 131_567, distance: 37, commonAncestors: 2, relation: 'distant' }],
    [83_333, 224_308, { lca: 2, distance: 16, commonAncestors: 3, relation: 'intermediate' }],
    [83_333, 243_232, { lca: 131_567, distance: 16, commonAncestors: 2, relation: 'distant' }],
    [83_333, 562, { lca: 562, distance: 1, commonAncestors: 9, relation: 'child' }],
    [562, 83_333, { lca: 562, distance: 1, commonAncestors: 9, relation: 'parent' }],
    [543, 83_333, { lca: 543, distance: 3, commonAncestors: 7, relation: 'ancestor' }],
    [83_333, 2, { lca: 2, distance: 7, commonAncestors: 3, relation: 'descendant' }],
    [9606, 9606, { lca: 9606, distance: 0, commonAncestors: 1, relation: 'same' }],
    [9606, 32_630, null],
  ])('compares %s with %s', async (a, b, expected) => {
    const { taxonomy } = await load(join(repositoryRoot(), 'examples', 'nodes.dmp.gz'));
    expect(compareTaxa(taxonomy, a, b)).toEqual(expected);
  });
});

const nodes = sharedData('data', 'taxonomy', 'nodes.dmp.gz');
const merged = sharedData('data', 'taxonomy', 'merged.dmp.gz');

describe.skipIf(nodes === null || merged === null)('16,026 taxa of NCBI', () => {
  it('has all taxa and former ids of its description, and lineages that follow the parents', async () => {
    const { taxonomy, rejectedNodes, rejectedMerged } = await load(nodes as string, merged as string);
    expect([taxonomy.size, taxonomy.arrays.mergedIds.length]).toEqual([16_026, 421]);
    expect([rejectedNodes, rejectedMerged]).toEqual([[], []]);
    // Taxon 557 became 549, Pantoea agglomerans.
    expect(compareTaxa(taxonomy, 557, 549)).toMatchObject({ lca: 549, relation: 'same' });
    const parents = parentsOf(nodes as string);
    for (let index = 0; index < taxonomy.size; index += 7) {
      const chain = [taxonomy.arrays.ids[index]];
      while (chain[0] !== 1) chain.unshift(parents.get(chain[0]) as number);
      expect([...taxonomy.lineage(index)].map((at) => taxonomy.arrays.ids[at])).toEqual(chain);
    }
  });
});

/** Reads the file with a regular expression, so that the test does not depend on the parser. */
function parentsOf(path: string): Map<number, number> {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  return new Map(
    [...text.matchAll(/^(\d+)\t\|\t(\d+)/gm)].map((match) => [Number(match[1]), Number(match[2])]),
  );
}
