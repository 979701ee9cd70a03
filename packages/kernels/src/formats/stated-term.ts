import { expected, isGoId } from './annotation.js';
import type { ParsedBatch } from './read-batches.js';

/** A GO term that another program states of a protein. */
export interface StatedTerm {
  /** The number of the line; in JSON, that of the protein. */
  line: number;
  /** The name of the protein, as the program wrote it. */
  protein: string;
  goId: string;
  /** The program's own score, above 0 and at most 1; null where the format has none. */
  score: number | null;
  /** The ground that the program names: an ortholog with its E-value, or a signature; null where the format names none. */
  basis: string | null;
}

export const isNothing = (text: string | undefined | null): boolean =>
  text === undefined || text === null || ['', '-', 'None'].includes(text.trim());
export const isMd5 = (text: string | undefined): boolean => /^[0-9a-f]{32}$/i.test(text ?? '');

interface Stating extends Omit<StatedTerm, 'goId'> {
  ids: readonly string[];
}

/** Adds each GO id of a list once; InterProScan 6 writes the source of an id in brackets behind it. */
export function addTerms({ ids, ...stated }: Stating, batch: ParsedBatch<StatedTerm>, place: string): void {
  const named = ids.filter((id) => !isNothing(id));
  if (named.length === 0) batch.skipped++;
  for (const text of new Set(named.map((id) => id.trim().replace(/\([^)]*\)$/, '')))) {
    if (isGoId(text)) batch.records.push({ ...stated, goId: text });
    else {
      const reason = expected('GO: and seven digits', place, text);
      batch.rejected.push({ line: stated.line, record: stated.protein, reason });
    }
  }
}
