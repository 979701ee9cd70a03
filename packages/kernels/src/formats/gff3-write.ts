/** The part of a protein's predictions that belongs in column 9 of a feature. */
export interface FeatureAnnotation {
  /** GO ids without repeats, best first. */
  goIds: readonly string[];
  /** Cross-references of the sources, without repeats. */
  sources: readonly string[];
  /** Highest probability of the terms, else the highest score; null: no term. */
  best: number | null;
}

/** Percent-encodes what ends a value of column 9. */
export function gff3Value(text: string): string {
  return text.replaceAll(/[\t\r\n%;=&,\p{Cc}]/gu, encodeURIComponent);
}

/** Percent-encodes what a sequence id of column 1 may not have; its first character is not `>`. */
export function gff3SequenceId(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9.:^*$@!+_?|-]/g, encodeURIComponent);
}

/** The attributes that an annotation adds, without a final semicolon; empty: nothing to add. */
export function gff3Attributes({ goIds, sources }: FeatureAnnotation): string {
  const parts: string[] = [];
  if (goIds.length > 0) parts.push(`Ontology_term=${goIds.join(',')}`);
  if (sources.length > 0) parts.push(`Dbxref=${sources.map(gff3Value).join(',')}`);
  return parts.join(';');
}

/** The score in column 6. */
export function gff3Score({ best }: FeatureAnnotation): string {
  return best === null ? '.' : String(Number(best.toPrecision(6)));
}

/**
 * A protein as a record of its own, over its whole length: the score column has the best probability (else score) of its
 * terms, `.` without terms.
 */
export function gff3Protein(
  accession: string,
  lengthResidues: number,
  annotation: FeatureAnnotation,
): string {
  const id = gff3SequenceId(accession);
  const attributes = gff3Attributes(annotation);
  const cells = [
    id,
    'Kindred',
    'polypeptide',
    '1',
    String(lengthResidues),
    gff3Score(annotation),
    '.',
    '.',
    `ID=${gff3Value(accession)}${attributes === '' ? '' : `;${attributes}`}`,
  ];
  return `##sequence-region ${id} 1 ${lengthResidues}\n${cells.join('\t')}\n`;
}
