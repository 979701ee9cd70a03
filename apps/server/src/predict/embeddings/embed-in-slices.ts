import type { EmbeddingRecipe } from '@kindred/contracts';
import { concatenate } from '@kindred/kernels/arrays';
import { embedTask, type EmbedOutput } from '../compute/tasks/embed.js';
import type { OperationContext } from '../../work/operation/operation.js';

/** The first slice has this many residues, which take a large model some seconds. */
const firstSliceResidues = 5000;
/** Slices that take less than this time grow by `growth`: nobody waits long for a larger one. */
const shortMs = 20;
const growth = 4;

/**
 * Embeds sequences a few at a time, one slice after the other, so that an urgent call of the pool gets in
 * between. The output equals that of one call with all sequences. The measurements of the model come from the
 * last slice.
 */
export async function embedInSlices(
  recipe: EmbeddingRecipe,
  sequences: readonly string[],
  { compute, signal, cacheAsked }: Pick<OperationContext, 'compute' | 'signal' | 'cacheAsked'>,
): Promise<EmbedOutput> {
  const parts: EmbedOutput[] = [];
  let sliceResidues = firstSliceResidues;
  let end = 0;
  do {
    const start = end;
    end = endOfSlice(sequences, start, sliceResidues);
    const startedMs = performance.now();
    const part = await compute.run(embedTask, { recipe, sequences: sequences.slice(start, end) }, { signal });
    if (performance.now() - startedMs < shortMs) sliceResidues *= growth;
    cacheAsked?.('model', part.modelKept);
    parts.push({ ...part, sequenceIndex: part.sequenceIndex.map((index) => index + start) });
  } while (end < sequences.length);
  if (parts.length === 1) return parts[0];
  return {
    dimension: parts[0].dimension,
    sequenceIndex: concatenate(
      parts.map((part) => part.sequenceIndex),
      Int32Array,
    ),
    chunkStart: concatenate(
      parts.map((part) => part.chunkStart),
      Int32Array,
    ),
    chunkEnd: concatenate(
      parts.map((part) => part.chunkEnd),
      Int32Array,
    ),
    vectors: concatenate(
      parts.map((part) => part.vectors),
      Uint16Array,
    ),
    clipped: parts.reduce((sum, part) => sum + part.clipped, 0),
    modelKept: parts.every((part) => part.modelKept),
    measured: Object.assign({}, ...parts.map((part) => part.measured)),
  };
}

/** The slice ends with the sequence that reaches the number of residues. */
function endOfSlice(sequences: readonly string[], start: number, sliceResidues: number): number {
  let residues = 0;
  let end = start;
  while (end < sequences.length && residues < sliceResidues) residues += sequences[end++].length;
  return end;
}
