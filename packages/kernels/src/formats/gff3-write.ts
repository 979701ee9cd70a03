import type { AnsweredRow, KnownAnnotation, KnownTerm } from '../answer/index.js';
import { sourceReference } from './predicted-annotation.js';

/** The part of a protein's answer that belongs in column 9 of a feature. */
export interface FeatureAnnotation {
  /** GO ids without repeats, what is known first, then what is predicted, best first. */
  goIds: readonly string[];
  /** Annotations of the protein itself, each as one text; empty: it has none. */
  known: readonly string[];
  /** GO ids of the predicted terms. */
  predicted: readonly string[];
  /** Cross-references of the sources, without repeats. */
  sources: readonly string[];
  /** Highest probability of the predicted terms, else the highest score; null: none is predicted. */
  best: number | null;
}

type AnsweredTerm = Pick<
  AnsweredRow,
  'go_id' | 'source_kind' | 'source_id' | 'score' | 'probability' | 'is_known'
>;

/**
 * Gives what an answer says in a feature: the terms that the protein is known to have, and those that are predicted beyond them. The
 * format has no place for a term that it does not have (NOT).
 */
export function featureAnnotation(
  known: readonly Pick<KnownTerm, 'go_id' | 'is_negated' | 'annotations'>[],
  terms: readonly AnsweredTerm[],
  database: string,
): FeatureAnnotation {
  const own = known.filter((term) => !term.is_negated);
  const beyond = terms.filter((term) => term.is_known !== true);
  const sources = beyond.map((term) =>
    sourceReference({ sourceKind: term.source_kind, sourceId: term.source_id }, database),
  );
  const predicted = beyond.map((term) => term.go_id);
  const values = beyond.map(({ probability, score }) => probability ?? score);
  return {
    goIds: [...own.map((term) => term.go_id), ...predicted],
    known: own.flatMap((term) => term.annotations.map((one) => annotationText(term.go_id, one))),
    predicted,
    sources: [...new Set(sources.filter((source) => source !== null))],
    best: values.length === 0 ? null : Math.max(...values),
  };
}

/** `GO:0004333|IDA|PMID:3282546|EcoCyc`: term, evidence, reference, and who made the annotation. */
function annotationText(goId: string, { evidence_code, db_reference, assigned_by }: KnownAnnotation): string {
  return [goId, evidence_code, db_reference ?? '', assigned_by ?? ''].join('|');
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
export function gff3Attributes({ goIds, known, predicted, sources }: FeatureAnnotation): string {
  const parts: string[] = [];
  if (goIds.length > 0) parts.push(`Ontology_term=${goIds.join(',')}`);
  if (sources.length > 0) parts.push(`Dbxref=${sources.map(gff3Value).join(',')}`);
  if (known.length > 0) {
    parts.push(`known=${known.map(gff3Value).join(',')}`);
    if (predicted.length > 0) parts.push(`predicted=${predicted.join(',')}`);
  }
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
