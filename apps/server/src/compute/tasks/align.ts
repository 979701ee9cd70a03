import { type AlignmentPairs, type AlignmentTable, encodeResidues } from '@kindred/kernels/alignment';
import { createAligner } from '@kindred/native';
import { nativeKernels } from '../native-kernels.js';
import type { TaskControl } from '../pool.js';
import type { AlignedMode, AlignInput, AlignOutput } from '../tasks.js';

const aligner = createAligner(nativeKernels);

/** Global and local alignments of the pairs, with the service's scoring. */
export function align(input: AlignInput, control: TaskControl): AlignOutput {
  const pairs: AlignmentPairs = {
    sequences: input.sequences.map((sequence) => encodeResidues(sequence)),
    query: input.query,
    target: input.target,
  };
  const isAborted = () => control.aborted();
  return {
    global: shares(aligner.align(pairs, { mode: 'global', isAborted })),
    local: shares(aligner.align(pairs, { mode: 'local', isAborted })),
  };
}

function shares(table: AlignmentTable): AlignedMode {
  const share = (counts: Int32Array) =>
    Float32Array.from(counts, (count, pair) => count / Math.max(1, table.length[pair]));
  return {
    score: Float32Array.from(table.score),
    identity: share(table.identical),
    similarity: share(table.similar),
    gaps: share(table.gaps),
    length: Float32Array.from(table.length),
  };
}
