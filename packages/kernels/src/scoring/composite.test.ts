import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compositeScore,
  evidenceWeight,
  flagsOfRecipe,
  minWeight,
  type ScoringRecipe,
  scoringPresets,
  type SignalName,
  signalNames,
  type SignalSource,
} from './index.js';

const nothing: SignalSource = {
  distance: 0.5,
  evidence_code: null,
  identity_nw: null,
  identity_sw: null,
  gaps_pct_nw: null,
  gaps_pct_sw: null,
  alignment_length_nw: null,
  alignment_length_sw: null,
  length_query: null,
  taxonomic_distance: null,
  neighbor_vote_fraction: null,
  ref_annotation_density: null,
  go_term_frequency: null,
};
const full: SignalSource = {
  ...nothing,
  evidence_code: 'IBA',
  identity_nw: 0.4,
  identity_sw: 0.6,
  gaps_pct_sw: 0.25,
  alignment_length_sw: 80,
  length_query: 120,
  taxonomic_distance: 3,
  neighbor_vote_fraction: 0.8,
  ref_annotation_density: 9,
  go_term_frequency: 100,
};

/** Computes the score by its definition once more, signal by signal. */
function plain(
  source: SignalSource,
  { formula, weights, evidenceWeights, frequencyPrior }: ScoringRecipe,
): number {
  const codes = 'EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' ');
  const computed = 'ISS ISO ISA ISM IGC IBA IBD IKR IRD RCA'.split(' ');
  const code = source.evidence_code ?? '';
  const standard = codes.includes(code)
    ? 1
    : computed.includes(code)
      ? 0.7
      : { NAS: 0.5, IEA: 0.3, ND: 0.1 }[code];
  const evidence = evidenceWeights?.[code] ?? standard ?? 0.5;
  const sw = source.alignment_length_sw !== null;
  const columns = sw ? source.alignment_length_sw : source.alignment_length_nw;
  const gaps = sw ? source.gaps_pct_sw : source.gaps_pct_nw;
  const known = columns !== null && gaps !== null && source.length_query;
  const signals: Record<string, number | null> = {
    embedding_similarity: source.distance === null ? null : 1 - source.distance / 2,
    identity_nw: source.identity_nw,
    identity_sw: source.identity_sw,
    coverage: known ? ((columns as number) * (1 - (gaps as number))) / known : null,
    evidence_weight: evidence,
    taxonomic_proximity: source.taxonomic_distance === null ? null : 1 / (source.taxonomic_distance + 1),
    neighbor_vote_fraction: source.neighbor_vote_fraction,
    ref_annotation_density:
      source.ref_annotation_density === null ? null : 1 / (source.ref_annotation_density + 1),
  };
  const used = Object.entries(weights).filter(([name, weight]) => weight > 0 && signals[name] !== null);
  const total = used.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return 0;
  const clip = (x: number) => Math.max(0, Math.min(1, x));
  const mean = used.reduce((sum, [name, weight]) => sum + weight * clip(signals[name] as number), 0) / total;
  const weighted = formula === 'evidence_weighted' ? mean * evidence : mean;
  const { go_term_frequency: frequency } = source;
  if (frequencyPrior === undefined || frequency === null) return weighted;
  return weighted / (1 + Math.log(1 + frequency)) ** frequencyPrior.gamma;
}

const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
const count = fc.option(fc.nat(1000));
const sources: fc.Arbitrary<SignalSource> = fc.record({
  distance: fc.double({ min: 0, max: 2, noNaN: true }),
  evidence_code: fc.option(fc.constantFrom('IDA', 'IEA', 'ND', 'NAS', 'IBA', 'ECO:0000001')),
  identity_nw: share,
  identity_sw: share,
  gaps_pct_nw: share,
  gaps_pct_sw: share,
  alignment_length_nw: count,
  alignment_length_sw: count,
  length_query: fc.option(fc.integer({ min: 1, max: 1000 })),
  taxonomic_distance: count,
  neighbor_vote_fraction: share,
  ref_annotation_density: count,
  go_term_frequency: count,
});
const recipes: fc.Arbitrary<ScoringRecipe> = fc.record(
  {
    formula: fc.constantFrom('linear' as const, 'evidence_weighted' as const),
    weights: fc.dictionary(
      fc.constantFrom(...signalNames),
      fc.oneof(fc.constant(0), fc.double({ min: minWeight, max: 10, noNaN: true })),
    ) as fc.Arbitrary<ScoringRecipe['weights']>,
    evidenceWeights: fc.dictionary(fc.constantFrom('IDA', 'IEA'), fc.double({ min: 0, max: 1, noNaN: true })),
    frequencyPrior: fc.record({ gamma: fc.double({ min: 0, max: 3, noNaN: true }) }),
  },
  { requiredKeys: ['formula', 'weights'] },
);

describe('compositeScore', () => {
  it('is the plain definition, to six decimals', () => {
    fc.assert(
      fc.property(sources, recipes, (source, recipe) => {
        expect(Math.abs(compositeScore(source, recipe, 'cosine') - plain(source, recipe))).toBeLessThan(
          5.1e-7,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('lies between the least and the largest signal, and does not depend on the scale of the weights', () => {
    fc.assert(
      fc.property(sources, recipes, fc.integer({ min: 1, max: 9 }), (source, { weights }, factor) => {
        const recipe = { formula: 'linear', weights } as const;
        const scaled = Object.fromEntries(
          Object.entries(weights).map(([name, weight]) => [name, weight * factor]),
        );
        const score = compositeScore(source, recipe, 'cosine');
        expect(
          Math.abs(compositeScore(source, { ...recipe, weights: scaled }, 'cosine') - score),
        ).toBeLessThan(1.1e-6);
        const alone = (Object.keys(weights) as SignalName[])
          .filter((name) => (weights[name] ?? 0) > 0)
          .filter((name) => name !== 'coverage' || source.length_query !== null)
          .map((name) => compositeScore(source, { formula: 'linear', weights: { [name]: 1 } }, 'cosine'));
        expect(score).toBeLessThanOrEqual(Math.max(0, ...alone) + 1e-6);
      }),
    );
  });

  it('computes the presets as anyone can by hand', () => {
    const scores = scoringPresets.map(({ name, recipe }) => [name, compositeScore(full, recipe, 'cosine')]);
    expect(Object.fromEntries(scores)).toEqual({
      embedding_only: 0.75,
      vote_fraction: 0.8,
      alignment_only: 0.48,
      embedding_plus_alignment: 0.615,
      embedding_plus_vote: 0.775,
      evidence_primary: 0.71,
      evidence_veto: 0.525,
      composite: 0.625,
    });
  });

  it('leaves what a pair does not have out of both sums', () => {
    const recipe: ScoringRecipe = { formula: 'linear', weights: { embedding_similarity: 1, identity_nw: 3 } };
    expect(compositeScore(nothing, recipe, 'cosine')).toBe(0.75);
    expect(compositeScore({ ...nothing, identity_nw: 0 }, recipe, 'cosine')).toBe(0.1875);
    expect(compositeScore(nothing, { formula: 'linear', weights: { identity_nw: 1 } }, 'cosine')).toBe(0);
    expect(compositeScore(full, { formula: 'linear', weights: { coverage: 1 } }, 'cosine')).toBe(0.5);
  });

  it('counts no evidence and unknown evidence as 0.5, and a table of its own first', () => {
    expect([
      evidenceWeight(null),
      evidenceWeight('ECO:1'),
      evidenceWeight('IEA'),
      evidenceWeight('TAS'),
    ]).toEqual([0.5, 0.5, 0.3, 1]);
    expect(evidenceWeight('IEA', { IEA: 0.8 })).toBe(0.8);
    expect(evidenceWeight('toString')).toBe(0.5);
  });
});

describe('flagsOfRecipe', () => {
  it('names each flag once, of the signals that weigh something', () => {
    const weights = { identity_nw: 1, identity_sw: 1, taxonomic_proximity: 0, embedding_similarity: 1 };
    expect(flagsOfRecipe({ formula: 'linear', weights })).toEqual(['compute_alignments']);
    expect(flagsOfRecipe({ formula: 'linear', weights: {}, frequencyPrior: { gamma: 1 } })).toEqual([
      'compute_reranker_features',
    ]);
  });
});
