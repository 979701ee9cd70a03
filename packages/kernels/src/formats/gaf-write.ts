import { isEcoId } from './annotation.js';
import { isNegated } from '../vocabulary/index.js';
import { codeOfEcoId } from './eco-codes.js';
import {
  type AnnotationFile,
  claimOf,
  type OwnAnnotation,
  type PredictedAnnotation,
  productOf,
} from './predicted-annotation.js';

/** The reader of a GAF file learns first that known annotations may be missing, and where it says which. */
const leftOutRemark =
  'Known annotations without an evidence code of the Gene Ontology have no row. A line !left-out names them before the rows of their protein, the last lines count them, and GPAD has them.';

/** Writes the `!` lines of a GAF 2.2 file, with a final newline. */
export function gafHeader(file: AnnotationFile): string {
  return `!gaf-version: 2.2\n${headerLines(file)}!remark: ${leftOutRemark}\n`;
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

/** The known annotations that a GAF file cannot hold, because their ECO ids have no evidence code. */
export class GafLeftOut {
  readonly #counts = new Map<string, { annotations: number; proteins: number }>();

  /** Counts those of a protein, and writes a line for each of their ECO ids, which names their terms. */
  linesOf(own: readonly OwnAnnotation[], { database }: AnnotationFile): string {
    const termsOf = new Map<string, string[]>();
    for (const { annotation, goId } of own) {
      if (gafEvidenceCode(annotation.evidence_code) !== null) continue;
      const term = isNegated(annotation.qualifier) ? `NOT ${goId}` : goId;
      termsOf.set(annotation.evidence_code, [...(termsOf.get(annotation.evidence_code) ?? []), term]);
    }
    return Array.from(termsOf, ([id, terms]) => {
      const { annotations, proteins } = this.#counts.get(id) ?? { annotations: 0, proteins: 0 };
      this.#counts.set(id, { annotations: annotations + terms.length, proteins: proteins + 1 });
      const product = productOf(own[0].accession, database);
      return `!left-out: ${product.database}:${product.id} is known by ${id}: ${[...new Set(terms)].join(', ')}\n`;
    }).join('');
  }

  /** Writes the lines at the end of the file that count them by ECO id. */
  get summary(): string {
    return Array.from(
      this.#counts,
      ([id, { annotations, proteins }]) =>
        `!left-out: ${annotations} known ${annotations === 1 ? 'annotation' : 'annotations'} of ${proteins} ${proteins === 1 ? 'protein' : 'proteins'} by ${id}, which has no evidence code in the table of the Gene Ontology; GPAD has them\n`,
    ).join('');
  }
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
