import type { AnsweredRow, KnownAnnotation, KnownTerm } from '../answer/index.js';
import { type CrossReferences, referencesOfProtein } from '../cross-references/index.js';
import { isFromSequenceAlone } from '../combined/vocabulary/probability-meaning.js';
import { sourceReference } from './predicted-annotation.js';

/** The part of a protein's answer that belongs in column 9 of a feature. */
export interface FeatureAnnotation {
  /** The GO ids without repeats: known terms first, then predicted ones, the best first. */
  goIds: readonly string[];
  /** The annotations of the protein itself, each as one text; empty if it has none. */
  known: readonly string[];
  /** The GO ids of the predicted terms. */
  predicted: readonly string[];
  /** The cross-references of the sources, then the reactions of Rhea of the protein, without repeats. */
  sources: readonly string[];
  /** The EC numbers of the protein, without repeats. */
  ecNumbers: readonly string[];
  /** The highest probability of the predicted terms, or else the highest score; null if none is predicted. */
  best: number | null;
  /** Whether the predicted terms come from the sequence alone. */
  isFromSequence: boolean;
}

type AnsweredTerm = Pick<
  AnsweredRow,
  | 'go_id'
  | 'source_kind'
  | 'source_id'
  | 'score'
  | 'probability'
  | 'calibrated_on'
  | 'is_known'
  | 'contradiction'
  | 'folded_under'
  | keyof CrossReferences
>;

/**
 * Gives what a feature says of an answer: the terms that the protein is known to have, and those that are predicted beyond them. The
 * format has no place for a term that the protein does not have (NOT).
 */
export function featureAnnotation(
  known: readonly (Pick<KnownTerm, 'go_id' | 'is_negated' | 'annotations'> & CrossReferences)[],
  terms: readonly AnsweredTerm[],
  database: string,
): FeatureAnnotation {
  const own = known.filter((term) => !term.is_negated);
  const beyond = terms.filter((term) => term.is_known !== true);
  const sources = beyond.map((term) =>
    sourceReference({ sourceKind: term.source_kind, sourceId: term.source_id }, database),
  );
  const { ecNumbers, rheaReactions } = referencesOfProtein(known, terms);
  const reactions = rheaReactions.map((number) => `RHEA:${number}`);
  const predicted = beyond.map((term) => term.go_id);
  const values = beyond.map(({ probability, score }) => probability ?? score);
  return {
    goIds: [...own.map((term) => term.go_id), ...predicted],
    known: own.flatMap((term) => term.annotations.map((one) => annotationText(term.go_id, one))),
    predicted,
    sources: [...new Set([...sources.filter((source) => source !== null), ...reactions])],
    ecNumbers,
    isFromSequence: beyond.some((term) => isFromSequenceAlone(term.calibrated_on)),
    best: values.length === 0 ? null : Math.max(...values),
  };
}

/** Writes an annotation as `GO:0004333|IDA|PMID:3282546|EcoCyc`: term, evidence, reference, and who made the annotation. */
function annotationText(goId: string, { evidence_code, db_reference, assigned_by }: KnownAnnotation): string {
  return [goId, evidence_code, db_reference ?? '', assigned_by ?? ''].join('|');
}

/** Percent-encodes the characters that end a value of column 9. */
export function gff3Value(text: string): string {
  return text.replaceAll(/[\t\r\n%;=&,\p{Cc}]/gu, encodeURIComponent);
}

/** Percent-encodes the characters that a sequence id of column 1 may not have. Its first character may not be `>`. */
export function gff3SequenceId(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9.:^*$@!+_?|-]/g, encodeURIComponent);
}

/** Returns the attributes that an annotation adds, without a final semicolon; an empty text if there is nothing to add. */
function gff3Attributes({
  goIds,
  known,
  predicted,
  sources,
  ecNumbers,
  isFromSequence,
}: FeatureAnnotation): string {
  const parts: string[] = [];
  if (goIds.length > 0) parts.push(`Ontology_term=${goIds.join(',')}`);
  if (sources.length > 0) parts.push(`Dbxref=${sources.map(gff3Value).join(',')}`);
  if (ecNumbers.length > 0) parts.push(`ec_number=${ecNumbers.join(',')}`);
  if (known.length > 0) {
    parts.push(`known=${known.map(gff3Value).join(',')}`);
    if (predicted.length > 0) parts.push(`predicted=${predicted.join(',')}`);
  }
  if (isFromSequence) parts.push('basis=sequence_alone');
  return parts.join(';');
}

/** Returns the score for column 6. */
function gff3Score({ best }: FeatureAnnotation): string {
  return best === null ? '.' : String(Number(best.toPrecision(6)));
}

const noNames = { name: null, predictedName: null };

/**
 * Writes a protein as a record of its own, over its whole length. The score column has the best probability of its terms, or else the
 * best score; without terms it has `.`.
 *
 * @param names the name of the protein, and the one that its sources agree on; null if there is none
 */
export function gff3Protein(
  accession: string,
  lengthResidues: number,
  annotation: FeatureAnnotation,
  { name, predictedName }: { name: string | null; predictedName: string | null } = noNames,
): string {
  const id = gff3SequenceId(accession);
  const named = name === null ? [] : [`Name=${gff3Value(name)}`];
  const predicted = predictedName === null ? [] : [`predicted_name=${gff3Value(predictedName)}`];
  const attributes = [`ID=${gff3Value(accession)}`, ...named, ...predicted, gff3Attributes(annotation)];
  const cells = [
    id,
    'Kindred',
    'polypeptide',
    '1',
    String(lengthResidues),
    gff3Score(annotation),
    '.',
    '.',
    attributes.filter((text) => text !== '').join(';'),
  ];
  return `##sequence-region ${id} 1 ${lengthResidues}\n${cells.join('\t')}\n`;
}
