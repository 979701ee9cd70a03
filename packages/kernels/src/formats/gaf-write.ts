import { isEcoId } from './annotation.js';
import { codeOfEcoId } from './eco-codes.js';
import {
  type AnnotationFile,
  claimOf,
  type OwnAnnotation,
  type PredictedAnnotation,
  productOf,
} from './predicted-annotation.js';

/** Writes the `!` lines of a GAF 2.2 file, with a final newline. */
export function gafHeader(file: AnnotationFile): string {
  return `!gaf-version: 2.2\n${headerLines(file)}`;
}

/** Writes the lines that GAF and GPAD share, after the version. */
export function headerLines({ header }: AnnotationFile): string {
  return header.map(([name, value]) => `!${name}: ${value.replaceAll(/\s+/g, ' ')}\n`).join('');
}

/** Returns the code that a GAF file can hold: for an ECO id the code of GO's table, or null if the table lacks the id. */
export function gafEvidenceCode(evidence: string): string | null {
  return isEcoId(evidence) ? (codeOfEcoId.get(evidence) ?? null) : evidence;
}

/** Writes a name as one cell. */
function textOf(name: string | null): string | null {
  return name === null ? null : name.replaceAll(/\s+/g, ' ');
}

/** Joins the name of a query and its accession, which is given where the id is not the accession. */
function nameOf(name: string | null, accession: string | null): string {
  if (name === null) return accession ?? '';
  return accession === null ? name : `${name} (${accession})`;
}

/** Writes the lines at the end of a GAF file that name the ECO ids whose annotations the file cannot hold, with the count of each. */
export function gafLeftOut(counts: ReadonlyMap<string, number>): string {
  return Array.from(
    counts,
    ([id, count]) =>
      `!left-out: ${count} known ${count === 1 ? 'annotation' : 'annotations'} by ${id}, which has no evidence code in the table of the Gene Ontology; GPAD has them\n`,
  ).join('');
}

/**
 * Writes one line of GAF 2.2, with a final newline.
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
    textOf(row.geneName) ?? product.id,
    claim.negated ? `NOT|${claim.relation}` : claim.relation,
    row.goId,
    claim.reference,
    gafEvidenceCode(claim.evidenceCode) ?? claim.evidenceCode,
    claim.withFrom,
    row.aspect,
    nameOf(textOf(row.proteinName), product.name),
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
