import {
  type AnnotationFile,
  claimOf,
  type OwnAnnotation,
  type PredictedAnnotation,
  productOf,
} from './predicted-annotation.js';

/** `!` lines of a GAF 2.2 file, with a final newline. */
export function gafHeader(file: AnnotationFile): string {
  return `!gaf-version: 2.2\n${headerLines(file)}`;
}

/** Lines that GAF and GPAD share, after the version. */
export function headerLines({ header }: AnnotationFile): string {
  return header.map(([name, value]) => `!${name}: ${value.replaceAll(/\s+/g, ' ')}\n`).join('');
}

/**
 * One line of GAF 2.2, with a final newline.
 *
 * @param complexes terms at and below `complexRoot`
 */
export function gafLine(
  row: PredictedAnnotation | OwnAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): string {
  const product = productOf(row.accession, file.database);
  const claim = claimOf(row, file, complexes);
  const cells = [
    product.database,
    product.id,
    product.id,
    claim.negated ? `NOT|${claim.relation}` : claim.relation,
    row.goId,
    claim.reference,
    claim.evidenceCode,
    claim.withFrom,
    row.aspect,
    product.name ?? '',
    '',
    'protein',
    `taxon:${row.taxonId ?? file.taxonId}`,
    claim.date,
    claim.assignedBy,
    '',
    product.form ?? '',
  ];
  return `${cells.join('\t')}\n`;
}
