import { headerLines } from './gaf-write.js';
import {
  type AnnotationFile,
  type PredictedAnnotation,
  productOf,
  relationOf,
  sourceReference,
} from './predicted-annotation.js';
import { relationId } from './relation-names.js';

/** Evidence used in automatic assertion: what GO writes as IEA. */
export const automaticAssertion = 'ECO:0000501';

/** `!` lines of a GPAD 2.0 file, with a final newline. */
export function gpadHeader(file: AnnotationFile): string {
  return `!gpad-version: 2.0\n${headerLines(file)}`;
}

/**
 * One line of GPAD 2.0, with a final newline: as in GAF, and the method, the score and the probability as properties. The
 * format has no taxon of the product.
 */
export function gpadLine(
  row: PredictedAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): string {
  const product = productOf(row.accession, file.database);
  const properties = [
    'go_evidence=IEA',
    `method=${file.method}`,
    `score=${digits(row.score)}`,
    ...(row.probability === null ? [] : [`probability=${digits(row.probability)}`]),
    ...(row.evidenceCode === null ? [] : [`source_evidence=${row.evidenceCode}`]),
  ];
  const date = file.date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const cells = [
    product.form ?? `${product.database}:${product.id}`,
    '',
    relationId(relationOf(row.goId, row.aspect, complexes)),
    row.goId,
    file.reference,
    automaticAssertion,
    sourceReference(row, file.database) ?? file.reference,
    '',
    date,
    file.assignedBy,
    '',
    properties.join('|'),
  ];
  return `${cells.join('\t')}\n`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
