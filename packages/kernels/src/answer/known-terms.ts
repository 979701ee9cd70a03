import {
  type Aspect,
  aspectsAsRead,
  evidenceGroups,
  experimentalEvidence,
  isNegated,
  unrecordedEvidence,
} from '../vocabulary/index.js';

/**
 * The grounds on which a term is known, the strongest first: an experiment, the judgement of a curator or author, a program, or none
 * recorded.
 */
export const knownBases = ['experiment', 'curation', 'electronic', 'unrecorded'] as const;
export type KnownBasis = (typeof knownBases)[number];

/** One annotation of a protein, as its file has it. */
export interface KnownAnnotation {
  qualifier: string | null;
  evidence_code: string;
  db_reference: string | null;
  with_from: string | null;
  assigned_by: string | null;
  /** The date as YYYYMMDD. */
  annotation_date: string | null;
}

/** A term that a protein of the reference is known to have, or not to have, with all its annotations, the strongest first. */
export interface KnownTerm {
  /** The accession of the protein in the reference. */
  accession: string;
  go_id: string;
  name: string;
  aspect: Aspect;
  /** Whether the annotations say that the protein does not have the term. */
  is_negated: boolean;
  basis: KnownBasis;
  annotations: KnownAnnotation[];
}

export interface AnnotationOfProtein extends KnownAnnotation {
  accession: string;
  go_term_id: number;
  go_id: string;
  name: string;
  aspect: Aspect;
}

const curated: ReadonlySet<string> = new Set([...evidenceGroups.computational, ...evidenceGroups.author]);

/** Returns the basis that an evidence code stands for. A code that is not on the Gene Ontology's list counts as electronic. */
export function basisOf(evidenceCode: string): KnownBasis {
  if ((experimentalEvidence as readonly string[]).includes(evidenceCode)) return 'experiment';
  if (evidenceCode === unrecordedEvidence) return 'unrecorded';
  return curated.has(evidenceCode) ? 'curation' : 'electronic';
}

/** The place of a term in the ontology, within its aspect. */
export interface TermPlace {
  /** GO ids of the terms above it. */
  above: ReadonlySet<string>;
  /** Whether every way up leads over `binding`: the term says what the protein touches, not what it does. */
  isBinding: boolean;
}
export type PlaceOf = (term: number) => TermPlace;

/** A term with at most this number of terms above it says little, as `protein binding` does. */
const fewAncestors = 2;

/**
 * Gives the annotations of one protein as terms, each once. The order is by aspect, functions first; then terms that the protein does not
 * have come last, and before them those that say little; then the strongest basis leads; then what the protein does comes before what it
 * binds, because `ATP binding` is not the function of a kinase; then the most specific term, which has most terms above it; then the id.
 */
export function knownTermsOf(rows: readonly AnnotationOfProtein[], placeOf: PlaceOf): KnownTerm[] {
  const terms = new Map<string, KnownTerm & { depth: number; isBinding: boolean }>();
  for (const { accession, go_term_id, go_id, name, aspect, ...annotation } of rows) {
    const is_negated = isNegated(annotation.qualifier);
    const basis = basisOf(annotation.evidence_code);
    const key = `${go_id} ${is_negated}`;
    const term = terms.get(key);
    if (term === undefined) {
      const { above, isBinding } = placeOf(go_term_id);
      const place = { depth: above.size, isBinding };
      const annotations = [annotation];
      terms.set(key, { accession, go_id, name, aspect, is_negated, basis, annotations, ...place });
    } else {
      term.annotations.push(annotation);
      if (rank(basis) < rank(term.basis)) term.basis = basis;
    }
  }
  return [...terms.values()]
    .sort(
      (a, b) =>
        aspectsAsRead.indexOf(a.aspect) - aspectsAsRead.indexOf(b.aspect) ||
        Number(a.is_negated) - Number(b.is_negated) ||
        Number(a.depth <= fewAncestors) - Number(b.depth <= fewAncestors) ||
        rank(a.basis) - rank(b.basis) ||
        Number(a.isBinding) - Number(b.isBinding) ||
        b.depth - a.depth ||
        (a.go_id < b.go_id ? -1 : 1),
    )
    .map(({ depth: _, isBinding: __, ...term }) => ({
      ...term,
      annotations: strongestFirst(term.annotations),
    }));
}

function strongestFirst(annotations: readonly KnownAnnotation[]): KnownAnnotation[] {
  return annotations.toSorted((a, b) => rank(basisOf(a.evidence_code)) - rank(basisOf(b.evidence_code)));
}

function rank(basis: KnownBasis): number {
  return knownBases.indexOf(basis);
}

/** Returns the ids of the terms that the protein is known to have, and of all terms of their aspect that these imply. */
export function idsKnownBy(rows: readonly AnnotationOfProtein[], placeOf: PlaceOf): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { qualifier, go_id, go_term_id } of rows) {
    if (isNegated(qualifier) || found.has(go_id)) continue;
    found.add(go_id);
    for (const above of placeOf(go_term_id).above) found.add(above);
  }
  return found;
}

/**
 * Joins the different values that the annotations of a term have in a field into one text, in the order of the annotations; null if none
 * has a value.
 */
export function annotationValues(
  { annotations }: Pick<KnownTerm, 'annotations'>,
  field: keyof KnownAnnotation,
): string | null {
  const values = new Set(annotations.map((annotation) => annotation[field]));
  values.delete(null);
  return values.size === 0 ? null : [...values].join('|');
}
