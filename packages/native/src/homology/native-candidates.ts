import {
  type CandidateFinder,
  checkCandidateQueries,
  defaultMinimumSeed,
  defaultMinimumWindow,
  type SeedIndex,
  seedOffsets,
} from '@kindred/kernels/homology';
import type { Instructions, NativeAddon } from '../addon.js';

/** Makes a candidate finder with SIMD windows and bands. Its results are identical to those of the plain finder. */
export function createNativeCandidateFinder(
  addon: NativeAddon,
  instructions: Instructions,
  index: SeedIndex,
): CandidateFinder {
  const offsets = Int32Array.from(seedOffsets);
  return {
    find(queries, options) {
      checkCandidateQueries(queries, options);
      const {
        limit,
        scoring,
        minimumSeed = defaultMinimumSeed,
        minimumWindow = defaultMinimumWindow,
      } = options;
      const count = queries.start.length - 1;
      const sequence = new Int32Array(count * limit);
      const score = new Int32Array(count * limit);
      const aligned = new Int32Array(count * limit * 4);
      const found = new Int32Array(count);
      const finished = addon.findHomologs({
        instructions,
        codes: index.codes,
        start: index.start,
        prefixes: index.prefixes,
        occupied: index.occupied,
        places: index.places,
        offsets,
        queryCodes: queries.codes,
        queryStart: queries.start,
        masked: queries.masked,
        excluded: queries.excluded,
        minimumBand: queries.minimumBand,
        matrix: scoring.matrix,
        gapOpen: scoring.gapOpen,
        gapExtend: scoring.gapExtend,
        minimumSeed,
        minimumWindow,
        limit,
        sequence,
        score,
        count: found,
        aligned,
        isAborted: options.isAborted,
      });
      if (!finished) throw new DOMException('the search was cancelled', 'AbortError');
      return { sequence, score, count: found, aligned };
    },
  };
}
