import type { EmbeddingRecipe } from '@kindred/contracts';
import { embedTask, type EmbedOutput } from '../../compute/tasks.js';
import type { OperationContext } from '../operation.js';

/** Residues after which a thread is free for the work of others. */
const sliceResidues = 5000;

/**
 * Embeds sequences a few at a time, one slice after the other: an urgent call of the pool gets in between. The output is that of one call
 * with all; what a backend measures of its model is that of the last slice.
 */
export async function embedInSlices(
  recipe: EmbeddingRecipe,
  sequences: readonly string[],
  { compute, signal }: Pick<OperationContext, 'compute' | 'signal'>,
): Promise<EmbedOutput> {
  const slices: string[][] = [];
  let residues = sliceResidues;
  for (const sequence of sequences) {
    if (residues >= sliceResidues) {
      slices.push([]);
      residues = 0;
    }
    slices.at(-1)?.push(sequence);
    residues += sequence.length;
  }
  const parts: EmbedOutput[] = [];
  let first = 0;
  for (const slice of slices.length === 0 ? [[]] : slices) {
    const part = await compute.run(embedTask, { recipe, sequences: slice }, { signal });
    parts.push({ ...part, sequenceIndex: part.sequenceIndex.map((index) => index + first) });
    first += slice.length;
  }
  if (parts.length === 1) return parts[0];
  return {
    dimension: parts[0].dimension,
    sequenceIndex: joined(
      parts.map((part) => part.sequenceIndex),
      Int32Array,
    ),
    chunkStart: joined(
      parts.map((part) => part.chunkStart),
      Int32Array,
    ),
    chunkEnd: joined(
      parts.map((part) => part.chunkEnd),
      Int32Array,
    ),
    vectors: joined(
      parts.map((part) => part.vectors),
      Uint16Array,
    ),
    clipped: parts.reduce((sum, part) => sum + part.clipped, 0),
    measured: Object.assign({}, ...parts.map((part) => part.measured)),
  };
}

function joined<T extends Int32Array | Uint16Array>(parts: readonly T[], type: new (length: number) => T): T {
  const whole = new type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
