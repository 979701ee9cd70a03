/** The numbers of a term that say how many similar proteins have it. */
export interface Support {
  /** The number of similar proteins with a term of the aspect; null where they were not counted. */
  similar_proteins: number | null;
  /** The number of those similar proteins that have the term. */
  supporters: number | null;
}

/**
 * Says how many of the similar proteins have a term, for a cell of a table; null where they were not counted. A term may also come from a
 * protein that is not similar: by a weak alignment, or by the distance of vectors alone.
 */
export function supportText({
  similar_proteins: similar,
  supporters,
  source_kind,
}: Support & { source_kind: string | null }): string | null {
  if (similar === null || supporters === null) return null;
  if (supporters > 0) return `${supporters} of ${similar}`;
  return source_kind === 'protein' ? 'only distant' : similar === 0 ? 'none' : `0 of ${similar}`;
}

/**
 * Says the same as `supportText` in a sentence, above the list of the proteins. `is_similar` is null where sequences were counted instead
 * of proteins.
 */
export function supportSentence(
  support: Support,
  sources: readonly { is_similar: boolean | null; is_copied: boolean }[],
): string {
  const copied = sources.filter(({ is_copied }) => is_copied).length;
  return copied === 0
    ? countsText(support, sources)
    : `${countsText(support, sources)}; ${copied} ${copied === 1 ? 'has' : 'have'} it from this very protein`;
}

function countsText(
  { similar_proteins: similar, supporters }: Support,
  sources: readonly { is_similar: boolean | null }[],
): string {
  const distant = sources.filter(({ is_similar }) => is_similar === false).length;
  if (similar === null || supporters === null || sources.some(({ is_similar }) => is_similar === null))
    return sources.length === 0
      ? 'No protein has the term'
      : `${counted(sources.length, 'protein')} with the term`;
  const near =
    similar === 0
      ? 'No protein is similar'
      : `${supporters} of ${counted(similar, 'similar protein')} ${supporters === 1 || similar === 1 ? 'has' : 'have'} the term`;
  return distant === 0
    ? near
    : `${near}; ${distant} more distant ${distant === 1 ? 'one has' : 'ones have'} it`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
