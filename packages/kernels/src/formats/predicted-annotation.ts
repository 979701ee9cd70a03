import type { OntologyAspect } from './aspect.js';
import type { KnownAnnotation } from '../answer/index.js';
import { isNegated } from '../vocabulary/index.js';
import type { SourceKind } from '../prediction/index.js';
import { isoformOf } from './isoform.js';
import { objectId } from './object-id.js';

/** One predicted term of one protein, as annotation formats write it. */
export interface PredictedAnnotation {
  /** Accession of the query, as in its FASTA header. */
  accession: string;
  /** NCBI taxon of the query; null: unknown. */
  taxonId: number | null;
  goId: string;
  aspect: OntologyAspect;
  sourceKind: SourceKind;
  sourceId: string | null;
  /** Evidence of the source's own annotation. */
  evidenceCode: string | null;
  score: number;
  /** 0 to 1; null: not calibrated. */
  probability: number | null;
}

/** One annotation of a protein itself, as the reference has it. */
export interface OwnAnnotation {
  /** Accession of the query, as in its FASTA header. */
  accession: string;
  /** NCBI taxon of the query; null: unknown. */
  taxonId: number | null;
  goId: string;
  aspect: OntologyAspect;
  annotation: KnownAnnotation;
}

/** Facts that all lines of one file share. */
export interface AnnotationFile {
  /** Database of queries whose accession is not from UniProtKB. */
  database: string;
  /** Taxon of queries whose taxon is not known. */
  taxonId: number;
  /** The method's own reference: a prefix, a colon and a number. */
  reference: string;
  method: string;
  /** Reference of annotations of a protein itself that name none. */
  ownReference: string;
  /** Group that made annotations of a protein itself that do not name one. */
  ownAssignedBy: string;
  /** Date as YYYYMMDD. */
  date: string;
  assignedBy: string;
  /** Release lines of the header: name and value, both on one line. */
  header: readonly (readonly [string, string])[];
}

/** Default relation to a term of each aspect, as the Gene Ontology defines it. */
const defaultRelation: Readonly<Record<OntologyAspect, string>> = {
  P: 'acts_upstream_of_or_within',
  F: 'enables',
  C: 'located_in',
};

/** Root of the protein-containing complexes, which a product is part of. */
export const complexRoot = 'GO:0032991';

/**
 * Relation of a product to a term.
 * @param complexes terms at and below `complexRoot`
 */
export function relationOf(goId: string, aspect: OntologyAspect, complexes: ReadonlySet<string>): string {
  return complexes.has(goId) ? 'part_of' : defaultRelation[aspect];
}

/** Claim of a line, with its evidence. */
export interface Claim {
  negated: boolean;
  /** Without NOT. */
  relation: string;
  reference: string;
  evidenceCode: string;
  withFrom: string;
  /** Date as YYYYMMDD. */
  date: string;
  assignedBy: string;
}

/**
 * Gives the claim of a row. A prediction has the evidence IEA, and With/From has its source; a term that rests on no single source
 * (a frequency) names the method's reference there too, because IEA needs a value. An annotation of the protein itself keeps what its
 * file says.
 *
 * @param complexes terms at and below `complexRoot`
 */
export function claimOf(
  row: PredictedAnnotation | OwnAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): Claim {
  const relation = relationOf(row.goId, row.aspect, complexes);
  if (!('annotation' in row))
    return {
      negated: false,
      relation,
      reference: file.reference,
      evidenceCode: 'IEA',
      withFrom: sourceReference(row, file.database) ?? file.reference,
      date: file.date,
      assignedBy: file.assignedBy,
    };
  const { qualifier, evidence_code, db_reference, with_from, annotation_date, assigned_by } = row.annotation;
  const own = (qualifier ?? '').split('|').filter((word) => word !== '' && !isNegated(word));
  return {
    negated: isNegated(qualifier),
    relation: own.length === 0 ? relation : own.join('|'),
    reference: db_reference ?? file.ownReference,
    evidenceCode: evidence_code,
    withFrom: with_from ?? '',
    date: annotation_date ?? file.date,
    assignedBy: assigned_by ?? file.ownAssignedBy,
  };
}

const uniprot = /^(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})$/;

/** Whether a text has the form of a UniProtKB accession, isoforms included. */
export function isUniprotAccession(accession: string): boolean {
  return uniprot.test(isoformOf(accession).canonicalAccession);
}

export interface Product {
  database: string;
  /** Id without the number of an isoform. */
  id: string;
  /** Database and id with the number; null: not an isoform. */
  form: string | null;
  /** The name of the query where the id writes it otherwise; null: it is the id, or the form. */
  name: string | null;
}

/** Database and id of a query. Names of different queries give different ids (`objectId`). */
export function productOf(accession: string, database: string): Product {
  const { canonicalAccession, isoformIndex } = isoformOf(accession);
  const owner = isUniprotAccession(accession) ? 'UniProtKB' : database;
  const id = objectId(canonicalAccession);
  const form = isoformIndex === null ? null : `${owner}:${accession}`;
  return { database: owner, id, form, name: id === canonicalAccession ? null : accession };
}

/** The source as a cross-reference; null: the term has none. */
export function sourceReference(
  { sourceKind, sourceId }: Pick<PredictedAnnotation, 'sourceKind' | 'sourceId'>,
  database: string,
): string | null {
  if (sourceId === null || sourceKind === 'none') return null;
  if (sourceKind === 'interpro_entry') return `InterPro:${objectId(sourceId)}`;
  return `${isUniprotAccession(sourceId) ? 'UniProtKB' : database}:${objectId(sourceId)}`;
}
