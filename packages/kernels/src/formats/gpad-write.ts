import { ecoIdOfCode } from './eco-codes.js';
import { gafEvidenceCode, headerLines } from './gaf-write.js';
import {
  type AnnotationFile,
  claimOf,
  type OwnAnnotation,
  type PredictedAnnotation,
  type Product,
  productOf,
} from './predicted-annotation.js';
import { relationId } from './relation-names.js';

/** Writes the `!` lines of a GPAD 2.0 file, with a final newline. */
export function gpadHeader(file: AnnotationFile): string {
  return `!gpad-version: 2.0\n${headerLines(file)}`;
}

/**
 * Writes one line of GPAD 2.0, with a final newline. It has the same columns as GAF, and properties that say whether the term is known or
 * predicted, with the method, the score and the probability of a prediction, and what the probability is the rate of. The format has no
 * taxon of the product.
 */
export function gpadLine(
  row: PredictedAnnotation | OwnAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): string {
  const product = productOf(row.accession, file.database);
  const claim = claimOf(row, file, complexes);
  const code = gafEvidenceCode(claim.evidenceCode);
  const cells = [
    product.form ?? `${product.database}:${product.id}`,
    claim.negated ? 'NOT' : '',
    claim.relation.split('|').map(relationId).join('|'),
    row.goId,
    claim.reference,
    ecoIdOfCode.get(claim.evidenceCode) ?? claim.evidenceCode,
    claim.withFrom,
    '',
    claim.date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'),
    claim.assignedBy,
    '',
    [...(code === null ? [] : [`go_evidence=${code}`]), ...propertiesOf(row, file), ...nameOf(product)].join(
      '|',
    ),
  ];
  return `${cells.join('\t')}\n`;
}

function propertiesOf(row: PredictedAnnotation | OwnAnnotation, file: AnnotationFile): string[] {
  if ('annotation' in row) return ['kind=known'];
  return [
    'kind=predicted',
    `method=${file.method}`,
    `score=${digits(row.score)}`,
    ...(row.probability === null ? [] : [`probability=${digits(row.probability)}`]),
    ...(row.probabilityMeaning === null ? [] : [`probability_meaning=${row.probabilityMeaning}`]),
    ...(row.evidenceCode === null ? [] : [`source_evidence=${row.evidenceCode}`]),
  ];
}

/** Gives the name as in the FASTA file, with characters that separate properties percent-encoded. */
function nameOf({ name }: Product): string[] {
  return name === null
    ? []
    : [`object_name=${name.replaceAll(/[%|=]/g, (letter) => encodeURIComponent(letter))}`];
}

function digits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
