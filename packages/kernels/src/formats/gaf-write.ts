import {
  type AnnotationFile,
  type PredictedAnnotation,
  productOf,
  relationOf,
  sourceReference,
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
 * One line of GAF 2.2, with a final newline. The evidence is IEA, With/From has the source; a term that rests on no single
 * source (a frequency) names the method's reference there too, because IEA needs a value.
 *
 * @param complexes terms at and below `complexRoot`
 */
export function gafLine(
  row: PredictedAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): string {
  const product = productOf(row.accession, file.database);
  const cells = [
    product.database,
    product.id,
    product.id,
    relationOf(row.goId, row.aspect, complexes),
    row.goId,
    file.reference,
    'IEA',
    sourceReference(row, file.database) ?? file.reference,
    row.aspect,
    '',
    '',
    'protein',
    `taxon:${row.taxonId ?? file.taxonId}`,
    file.date,
    file.assignedBy,
    '',
    product.form ?? '',
  ];
  return `${cells.join('\t')}\n`;
}
