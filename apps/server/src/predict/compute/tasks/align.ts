import {
  type AlignmentPairs,
  type AlignmentTable,
  encodeResidues,
  type PairAligner,
} from '@kindred/kernels/alignment';
import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import { createAligner } from '@kindred/native';
import { nativeKernels } from '../native-kernels.js';
import { task, type TaskControl } from '../../../ground/pool/pool.js';

export interface AlignInput {
  sequences: string[];
  /** Pair p aligns sequences[query[p]] with sequences[target[p]]. */
  query: Int32Array;
  target: Int32Array;
}
/** The columns [pairs] are named `nw` for the global alignment, and `sw` for the local one. */
export type AlignOutput = ColumnArrays<Exclude<ColumnsFrom<'alignment'>, 'length_query' | 'length_ref'>>;

let aligner: PairAligner | null = null;

/** Computes global and local alignments of the pairs, with the service's scoring. */
function align(input: AlignInput, control: TaskControl): AlignOutput {
  aligner ??= createAligner(nativeKernels());
  const pairs: AlignmentPairs = {
    sequences: input.sequences.map((sequence) => encodeResidues(sequence)),
    query: input.query,
    target: input.target,
  };
  const isAborted = () => control.aborted();
  return {
    ...named('nw', aligner.align(pairs, { mode: 'global', isAborted })),
    ...named('sw', aligner.align(pairs, { mode: 'local', isAborted })),
  } as AlignOutput;
}

/** Counts become shares of the alignment's columns. */
function named(suffix: 'nw' | 'sw', table: AlignmentTable): Record<string, Float32Array> {
  const share = (counts: Int32Array) =>
    Float32Array.from(counts, (count, pair) => count / Math.max(1, table.length[pair]));
  return {
    [`identity_${suffix}`]: share(table.identical),
    [`similarity_${suffix}`]: share(table.similar),
    [`alignment_score_${suffix}`]: Float32Array.from(table.score),
    [`gaps_pct_${suffix}`]: share(table.gaps),
    [`alignment_length_${suffix}`]: Float32Array.from(table.length),
  };
}

export const alignTask = task(import.meta.url, align);
