import type { Aspect, CafaAspect, Category, TruthCategory } from '@kindred/contracts';
import type { referenceReliability } from '@kindred/contracts/resources/references';
import type { ColumnType } from 'kysely';
import type { z } from 'zod';

/**
 * A jsonb column is parsed when it is read. It is written as JSON text, or as a value that the driver turns
 * into JSON text.
 */
export type Jsonb<Content = Record<string, unknown>> = ColumnType<
  Content,
  Content | string,
  Content | string
>;

/** The counts of a load are written with the set, so that no list has to scan annotations. */
export interface AnnotationStatistics {
  by_aspect: Record<Aspect, number>;
  by_evidence_code: Record<string, number>;
  /** The qualifier of these rows holds NOT. */
  negated: number;
  terms: number;
}

/** A category and aspect has these figures; null if a figure is undefined. */
export type Figures = Record<string, number | null>;
/** Categories and aspects without truth are left out. */
export type ResultFigures = Partial<Record<Category, Partial<Record<CafaAspect, Figures>>>>;
export interface FigureInterval {
  low: number;
  high: number;
  standard_error: number;
  samples: number;
}
export type ResultIntervals = Partial<
  Record<Category, Partial<Record<CafaAspect, Record<string, FigureInterval>>>>
>;
export interface StoredResultArtifact {
  name: string;
  uri: string;
  size_bytes: number;
  sha256: string;
}

/** A holdout counts proteins, and (protein, term) pairs. */
export interface HoldoutCount {
  proteins: number;
  annotations: number;
}
export type PerAspect = Record<Aspect, HoldoutCount>;

export interface EvaluationStatistics {
  /** This number of proteins has truth in some category. */
  delta_proteins: number;
  nk_proteins: number;
  lk_proteins: number;
  pk_proteins: number;
  nk_annotations: number;
  lk_annotations: number;
  pk_annotations: number;
  known_terms_count: number;
  by_aspect: Record<TruthCategory, PerAspect>;
  /** The rows read on either side are counted, and those left out. */
  read: Record<'old' | 'new', Record<string, number>>;
  /** These (protein, aspect) pairs are left out because they gained only protein binding. */
  protein_binding_only: Record<Category, number>;
}

/** The load counts live terms per aspect, and obsolete ones. */
export type TermCounts = Record<Aspect | 'obsolete', number>;

export interface TaxonomyFile {
  file: string;
  url: string;
  sha256: string;
}

/** A request names a file of a reference in this form. */
export interface ReferenceSource {
  url: string;
  file_name?: string | undefined;
  origin?: string | undefined;
  licence?: string | undefined;
  citation?: string | undefined;
}
/** A reference is built from these files. */
export interface ReferenceInputs {
  ontology?: ReferenceSource | undefined;
  proteins?: ReferenceSource[];
  annotations?: ReferenceSource[];
  taxonomy?: Record<string, ReferenceSource | undefined> | undefined;
  interpro_mapping?: ReferenceSource | undefined;
  taxon_constraints?: Record<'only_in' | 'never_in' | 'unions', ReferenceSource> | undefined;
  vectors?: ReferenceSource[] | undefined;
}
/** A complete reference consists of such parts. */
export interface ReferencePart {
  kind:
    | 'ontology'
    | 'proteins'
    | 'annotations'
    | 'taxonomy'
    | 'interpro_mapping'
    | 'taxon_constraints'
    | 'vectors';
  name: string;
  origin: string | null;
  licence: string | null;
  citation: string | null;
  sha256: string | null;
  counts: Record<string, number>;
}
/** The figures say how well some proteins of a reference are predicted from the others. */
export type ReferenceReliability = z.infer<typeof referenceReliability>;
