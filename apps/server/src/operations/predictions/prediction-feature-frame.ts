import type { PairFeatures, TermVectorFeatures, VoterTaxa } from '@kindred/kernels/features';
import { z } from 'zod';
import type { PairFeatureColumns } from '../../store/predictions/prediction-features-writer.js';

/** Which blocks a frame has beside the rows: one number for each pair, and the coordinates of the queries. */
export const pairFeatureHeader = z
  .object({ axes: z.int().min(0), voter_taxa: z.boolean(), term_vectors: z.boolean() })
  .nullable();
export type PairFeatureHeader = z.infer<typeof pairFeatureHeader>;

export function packPairFeatures(
  features: PairFeatures | null,
  queryCount: number,
): { header: PairFeatureHeader; blocks: ArrayBufferView[] } {
  if (features === null) return { header: null, blocks: [] };
  const { lineage, taxa, termVectors, projected } = features;
  const blocks: ArrayBufferView[] = [
    features.minDistance,
    features.meanDistance,
    lineage.ancestorOf,
    lineage.descendantOf,
    projected ?? new Float32Array(),
  ];
  if (taxa !== null) blocks.push(taxa.same, taxa.close, taxa.meanCommonAncestors);
  if (termVectors !== null)
    blocks.push(
      termVectors.neighbourCosine,
      termVectors.neighbourLargestCosine,
      termVectors.hasVector,
      termVectors.knownCosine,
      termVectors.knownLargestCosine,
      termVectors.knownCount,
    );
  const axes = projected === null || queryCount === 0 ? 0 : projected.length / queryCount;
  return { header: { axes, voter_taxa: taxa !== null, term_vectors: termVectors !== null }, blocks };
}

export function pairFeatureBlocks(header: PairFeatureHeader): number {
  return header === null ? 0 : 5 + (header.voter_taxa ? 3 : 0) + (header.term_vectors ? 6 : 0);
}

/** `take` hands out the next block. */
export function unpackPairFeatures(header: PairFeatureHeader, take: <T>() => T): PairFeatureColumns | null {
  if (header === null) return null;
  return {
    axes: header.axes,
    minDistance: take(),
    meanDistance: take(),
    lineage: { ancestorOf: take(), descendantOf: take() },
    projected: take(),
    taxa: header.voter_taxa ? takeTaxa(take) : null,
    termVectors: header.term_vectors ? takeTermVectors(take) : null,
  };
}

function takeTaxa(take: <T>() => T): VoterTaxa {
  return { same: take(), close: take(), meanCommonAncestors: take() };
}

function takeTermVectors(take: <T>() => T): TermVectorFeatures {
  return {
    neighbourCosine: take(),
    neighbourLargestCosine: take(),
    hasVector: take(),
    knownCosine: take(),
    knownLargestCosine: take(),
    knownCount: take(),
  };
}
