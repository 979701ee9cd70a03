import { componentCount, type SubstitutionComponents } from './substitution.js';

/** The maximum distance of the two residues of a pair. */
export const maxGap = 24;
/** The number of the highest wave of single residues along the sequence: wave 0 is the composition, and wave m turns m/2 times. */
export const maxWave = 8;

/** The share of the signal that remains when the gap grows by one (an insertion or deletion within it breaks the pair). */
const keptPerGap = 0.97;
/** The weight of a positional feature relative to one that ignores the position, and the factor for each further wave. */
const positionalWeight = 0.6;
const keptPerWave = 0.95;

/** A feature that is the sum over residues of component `component` times wave `wave`. */
export interface SingleFeature {
  component: number;
  wave: number;
  weight: number;
  /** The index of the feature in the vector. */
  index: number;
}
/** A feature that is the sum over residue pairs `gap` apart of component `first` of the one times `second` of the other. */
export interface PairFeature {
  first: number;
  second: number;
  weight: number;
  index: number;
}
/** The pair features of one gap and wave (0 or 1), which are computed from one table of counts. */
export interface PairTable {
  gap: number;
  wave: 0 | 1;
  /** The features, ascending by `first`, so that the intermediate product of a component is computed once. */
  features: PairFeature[];
}

export interface FeaturePlan {
  dimension: number;
  singles: SingleFeature[];
  tables: PairTable[];
}

/** The tables of one gap, which are counted together. */
export interface GapTables {
  gap: number;
  plain?: PairTable;
  waved?: PairTable;
}

export function gapsOf({ tables }: FeaturePlan): GapTables[] {
  const gaps = new Map<number, GapTables>();
  for (const table of tables) {
    const both = gaps.get(table.gap) ?? { gap: table.gap };
    both[table.wave === 0 ? 'plain' : 'waved'] = table;
    gaps.set(table.gap, both);
  }
  return [...gaps.values()];
}

/** Returns the weight of each feature: Float64 [dimension]. */
export function weightsOf({ dimension, singles, tables }: FeaturePlan): Float64Array {
  const weights = new Float64Array(dimension);
  for (const { index, weight } of singles) weights[index] = weight;
  for (const { features } of tables) for (const { index, weight } of features) weights[index] = weight;
  return weights;
}

type Candidate = { expected: number } & (
  | { kind: 'single'; component: number; wave: number }
  | { kind: 'pair'; first: number; second: number; gap: number; wave: 0 | 1 }
);

/**
 * Selects the `dimension` features that detect homologues best. A feature's expected correlation between homologues is the product of the
 * strengths of its components, reduced for distant pairs and positional waves. The strongest are selected, and each is weighted by the
 * square root of its expectation, so that the dot product is a matched filter. A smaller model's features are the first ones of a larger
 * model. The cost is that of sorting 18,000 candidates once.
 *
 * @throws RangeError if there are fewer candidates than dimensions
 */
export function planFeatures(components: SubstitutionComponents, dimension: number): FeaturePlan {
  const candidates = allCandidates(components.strength);
  if (dimension > candidates.length)
    throw new RangeError(`there are ${candidates.length} features, fewer than ${dimension}`);
  // The sort is stable and floating-point products commute exactly, so equal candidates keep the order of allCandidates.
  candidates.sort((a, b) => b.expected - a.expected);
  const singles: SingleFeature[] = [];
  const tables = new Map<number, PairTable>();
  candidates.slice(0, dimension).forEach((candidate, index) => {
    const weight = Math.sqrt(candidate.expected);
    if (candidate.kind === 'single') {
      singles.push({ component: candidate.component, wave: candidate.wave, weight, index });
      return;
    }
    const { gap, wave, first, second } = candidate;
    const table = tables.get(gap * 2 + wave) ?? { gap, wave, features: [] };
    table.features.push({ first, second, weight, index });
    tables.set(gap * 2 + wave, table);
  });
  for (const table of tables.values()) table.features.sort((a, b) => a.first - b.first);
  return { dimension, singles, tables: [...tables.values()] };
}

function allCandidates(strength: Float64Array): Candidate[] {
  const candidates: Candidate[] = [];
  for (let wave = 0, factor = 1; wave <= maxWave; wave++) {
    for (let component = 0; component < componentCount; component++)
      candidates.push({ kind: 'single', component, wave, expected: strength[component] * factor });
    factor = wave === 0 ? positionalWeight : factor * keptPerWave;
  }
  for (const wave of [0, 1] as const) {
    for (let gap = 1, factor = wave ? positionalWeight : 1; gap <= maxGap; gap++, factor *= keptPerGap) {
      for (let first = 0; first < componentCount; first++) {
        for (let second = 0; second < componentCount; second++) {
          const expected = strength[first] * strength[second] * factor;
          candidates.push({ kind: 'pair', first, second, gap, wave, expected });
        }
      }
    }
  }
  return candidates;
}
