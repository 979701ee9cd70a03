import type { OntologyAspect } from './aspect.js';
import type { KnownAnnotation } from '../answer/index.js';
import { isNegated } from '../vocabulary/index.js';
import type { ProbabilityMeaning } from '../combined/vocabulary/probability-meaning.js';
import type { SourceKind } from '../prediction/index.js';
import { isoformOf } from './isoform.js';
import { objectId } from './object-id.js';

/** The query that an annotation is of. */
export interface AnnotatedQuery {
  /** The accession of the query, as in its FASTA header. */
  accession: string;
  /** The NCBI taxon of the query; null if unknown. */
  taxonId: number | null;
  /** The name of the query; null if nothing names it. */
  proteinName: string | null;
  /** The gene of the query; null as for the name. */
  geneName: string | null;
}

/** One predicted term of one protein, as annotation formats write it. */
export interface PredictedAnnotation extends AnnotatedQuery {
  goId: string;
  aspect: OntologyAspect;
  sourceKind: SourceKind;
  sourceId: string | null;
  /** The evidence of the source's own annotation. */
  evidenceCode: string | null;
  score: number;
  /** The probability, 0 to 1; null if not calibrated. */
  probability: number | null;
  /** The probability is the rate of this; null if there is none. */
  probabilityMeaning: ProbabilityMeaning | null;
  /** Whether the term comes from the sequence alone. */
  isFromSequence: boolean;
}

/** One annotation of a protein itself, as the reference has it. */
export interface OwnAnnotation extends AnnotatedQuery {
  goId: string;
  aspect: OntologyAspect;
  annotation: KnownAnnotation;
}

/** The facts that all lines of one file share. */
export interface AnnotationFile {
  /** The database of queries whose accession is not from UniProtKB. */
  database: string;
  /** The taxon of queries whose taxon is not known. */
  taxonId: number;
  /** The method's own reference: a prefix, a colon and a number. */
  reference: string;
  method: string;
  /** The reference of predicted terms that come from the sequence alone. */
  sequenceReference: string;
  /** The reference of those annotations of a protein itself that name none. */
  ownReference: string;
  /** The group that made those annotations of a protein itself that name no group. */
  ownAssignedBy: string;
  /** The date as YYYYMMDD. */
  date: string;
  assignedBy: string;
  /** The release lines of the header: name and value, both on one line. */
  header: readonly (readonly [string, string])[];
}

/** The default relation to a term of each aspect, as the Gene Ontology defines it. */
const defaultRelation: Readonly<Record<OntologyAspect, string>> = {
  P: 'acts_upstream_of_or_within',
  F: 'enables',
  C: 'located_in',
};

/** The root of the protein-containing complexes. A product is part of a complex. */
export const complexRoot = 'GO:0032991';

/**
 * Returns the relation of a product to a term.
 * @param complexes terms at and below `complexRoot`
 */
export function relationOf(goId: string, aspect: OntologyAspect, complexes: ReadonlySet<string>): string {
  return complexes.has(goId) ? 'part_of' : defaultRelation[aspect];
}

/** The claim of a line, with its evidence. */
export interface Claim {
  negated: boolean;
  /** The relation without NOT. */
  relation: string;
  reference: string;
  evidenceCode: string;
  withFrom: string;
  /** The date as YYYYMMDD. */
  date: string;
  assignedBy: string;
}

/**
 * Gives the claim of a row. A prediction has the evidence IEA, and With/From has its source; a term that rests on no single source (a
 * frequency) names the method's reference there too, because IEA needs a value. An annotation of the protein itself keeps the values of
 * its file.
 *
 * @param complexes terms at and below `complexRoot`
 */
export function claimOf(
  row: PredictedAnnotation | OwnAnnotation,
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): Claim {
  const relation = relationOf(row.goId, row.aspect, complexes);
  if (!('annotation' in row)) {
    const reference = row.isFromSequence ? file.sequenceReference : file.reference;
    return {
      negated: false,
      relation,
      reference,
      evidenceCode: 'IEA',
      withFrom: sourceReference(row, file.database) ?? reference,
      date: file.date,
      assignedBy: file.assignedBy,
    };
  }
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

/** Says whether a text has the form of a UniProtKB accession, with or without an isoform number. */
export function isUniprotAccession(accession: string): boolean {
  return uniprot.test(isoformOf(accession).canonicalAccession);
}

export interface Product {
  database: string;
  /** The id without the number of an isoform. */
  id: string;
  /** Database and id with the number; null if the query is not an isoform. */
  form: string | null;
  /** The name of the query, where the id writes it otherwise; null if the name is the id, or the form. */
  name: string | null;
}

/** Returns database and id of a query. Names of different queries give different ids (`objectId`). */
export function productOf(accession: string, database: string): Product {
  const { canonicalAccession, isoformIndex } = isoformOf(accession);
  const owner = isUniprotAccession(accession) ? 'UniProtKB' : database;
  const id = objectId(canonicalAccession);
  const form = isoformIndex === null ? null : `${owner}:${accession}`;
  return { database: owner, id, form, name: id === canonicalAccession ? null : accession };
}

/** Returns the source as a cross-reference; null if the term has no source. */
export function sourceReference(
  { sourceKind, sourceId }: Pick<PredictedAnnotation, 'sourceKind' | 'sourceId'>,
  database: string,
): string | null {
  if (sourceId === null || sourceKind === 'none') return null;
  if (sourceKind === 'interpro_entry') return `InterPro:${objectId(sourceId)}`;
  return `${isUniprotAccession(sourceId) ? 'UniProtKB' : database}:${objectId(sourceId)}`;
}
