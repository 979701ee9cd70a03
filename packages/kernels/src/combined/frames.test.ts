import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { summarise } from '../evaluation/index.js';
import { bytesOf, ontologyOf, runCase } from '../evaluation/testing/cases.js';

/**
 * The files have predictions of the combination and of bare sequences for proteins of the example set, of which some annotations were
 * hidden, and what CAFA's evaluator (cafaeval-protea 0.1.0, CAFAEVAL_SPARSE=0, prop fill, no orphans) says of them. They were made by
 * training/combined/export-frames.mjs --example and cafaeval_figures.py.
 */
const file = (name: string) => new URL(`golden/frames/${name}`, import.meta.url).pathname;
const golden: { method: string; category: string; aspect: string; fmax: number; f_micro_w: number }[] =
  JSON.parse(readFileSync(file('cafaeval.json'), 'utf8'));
const aspects: Record<string, string> = {
  biological_process: 'process',
  molecular_function: 'function',
  cellular_component: 'component',
};

const ontology = ontologyOf(
  bytesOf(new URL('../../../../examples/go-basic-2022-07-01.obo.gz', import.meta.url).pathname),
);

describe("figures of the combination's frames", () => {
  it.each(['NK', 'LK', 'PK'])('are those of the published evaluator: %s', (category) => {
    const methods = runCase({
      obo: ontology,
      truth: bytesOf(file(`truth_${category}.tsv.gz`)),
      known: category === 'PK' ? bytesOf(file('known.tsv.gz')) : undefined,
      ia: bytesOf(file('IA.tsv.gz')),
      predictions: {
        combined: bytesOf(file('predictions/combined.tsv.gz')),
        bare: bytesOf(file('predictions/bare.tsv.gz')),
      },
      propagation: 'fill',
      normalisation: 'cafa',
      thresholdStep: 0.01,
      noOrphans: true,
    });
    const cells = methods.flatMap(({ method, namespaces }) =>
      namespaces.map((evaluation) => {
        const { fmax, f_micro_w } = summarise(evaluation);
        return { method, aspect: aspects[evaluation.namespace], fmax, f_micro_w };
      }),
    );
    const expected = golden.filter((cell) => cell.category === category);
    expect(expected.length).toBeGreaterThanOrEqual(4);
    for (const { method, aspect, fmax, f_micro_w } of expected) {
      const found = cells.find((cell) => cell.method === method && cell.aspect === aspect);
      expect(found?.fmax).toBeCloseTo(fmax, 12);
      expect(found?.f_micro_w).toBeCloseTo(f_micro_w, 12);
    }
  });
});
