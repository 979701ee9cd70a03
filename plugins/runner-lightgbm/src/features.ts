import type { RunnerInput } from '@kindred/contracts';
import {
  candidateColumns,
  emptyFeatureTable,
  featureAspects,
  type FeatureTable,
} from '@kindred/kernels/features';
import type { Candidates } from '@kindred/kernels/scoring';

/** The feature columns that need only neighbours and annotations. */
export const neighbourFeatures: readonly string[] = [
  'distance',
  'vote_count',
  'k_position',
  'go_term_frequency',
  'ref_annotation_density',
  'neighbor_distance_std',
  'neighbor_vote_fraction',
  'neighbor_min_distance',
  'neighbor_mean_distance',
  'aspect',
];

/** Makes feature rows of the candidates, identical to those of the service. Columns that need other inputs stay null. */
export function neighbourFeatureTable(input: RunnerInput, candidates: Candidates): FeatureTable {
  const table = emptyFeatureTable(candidates.query.length);
  const { frequency, density } = counts(input);
  const columns = {
    distance: candidates.distance,
    ...candidateColumns(candidates),
    go_term_frequency: candidates.term.map((term) => frequency[term] ?? 0),
    ref_annotation_density: candidates.source.map((source) => density[source] ?? 0),
    neighbor_min_distance: candidates.distance,
    neighbor_mean_distance: candidates.meanDistance,
  };
  for (const [name, values] of Object.entries(columns)) {
    const column = table.numbers[name];
    if (column === undefined) throw new Error(`the table of features has no column ${name}`);
    column.set(values);
  }
  const names = Object.values(featureAspects);
  const { termAspect } = input;
  const { aspect } = table.categories;
  if (termAspect && aspect) {
    candidates.term.forEach((term, row) => {
      aspect[row] = names[termAspect[term] ?? -1] ?? null;
    });
  }
  return table;
}

/** Counts how many references carry each term, and how many terms each reference carries, without NOT rows and repeats. */
function counts({ termStart, terms, negated }: RunnerInput): { frequency: Int32Array; density: Int32Array } {
  const termCount = terms.reduce((most, term) => Math.max(most, term), -1) + 1;
  const frequency = new Int32Array(termCount);
  const density = new Int32Array(termStart.length - 1);
  for (const [reference, from] of termStart.subarray(0, -1).entries()) {
    const own = new Set<number>();
    terms.subarray(from, termStart[reference + 1]).forEach((term, offset) => {
      if (!negated?.[from + offset]) own.add(term);
    });
    for (const term of own) frequency[term] = (frequency[term] ?? 0) + 1;
    density[reference] = own.size;
  }
  return { frequency, density };
}
