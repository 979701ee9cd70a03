import {
  type AnnotationOfProtein,
  type AnsweredKnownTerm,
  idsKnownBy,
  knownTermsOf,
  type PlaceOf,
  type ProteinNames,
  type TermPlace,
} from '@kindred/kernels/answer';
import { groupedBy } from '@kindred/kernels/arrays';
import { bindingTerm, experimentalEvidence, rootTerms } from '@kindred/kernels/vocabulary';
import { sql } from 'kysely';
import { endOfTurn } from '../../ground/event-loop.js';
import {
  type KnownTerm as OntologyTerm,
  termsByRow,
  type TermsOf,
} from '../ontology/known-terms.repository.js';
import { termCrossReferences } from '../ontology/cross-references.js';
import { prepared, type Queryable } from '../postgres/connection.js';

/** An annotation set has this knowledge about a protein. */
export interface KnownOfProtein {
  /** The terms with their annotations, NOT included, in the order of answers. */
  terms: AnsweredKnownTerm[];
  /** The protein has the terms of these ids, or has terms that imply them. */
  ids: ReadonlySet<string>;
  /** These of its terms have only the root of their aspect above them. */
  belowRoot: ReadonlySet<string>;
  protein: NamedProtein;
  /** The protein has this number of annotations, including those that are not listed. */
  annotation_count: number;
}

/** The catalogue has these names of a protein of the reference. */
export interface NamedProtein extends ProteinNames {
  /** The taxon is that of the NCBI; null if unknown. */
  taxonomy_id: number | null;
}

interface AnnotationRow extends AnnotationOfProtein, NamedProtein {
  annotation_count: number;
}

/** At most this many annotations of one protein are listed; the best studied ones have some hundreds. */
const maxKnown = 1000;

/** Reads the known annotations of proteins, by accession; proteins without an annotation are missing. */
export async function knownOfProteins(
  db: Queryable,
  { annotationSetId, ontology }: { annotationSetId: string | null; ontology: TermsOf },
  accessions: readonly string[],
): Promise<ReadonlyMap<string, KnownOfProtein>> {
  if (accessions.length === 0 || annotationSetId === null) return new Map();
  const rows = await annotationRows(db, annotationSetId, accessions);
  const placeOf = await placesOf(
    db,
    ontology,
    rows.map((row) => row.go_term_id),
  );
  const referencesOf = await termCrossReferences(db);
  const known = new Map<string, KnownOfProtein>();
  const pause = endOfTurn();
  for (const [accession, own] of groupedBy(rows, (row) => row.accession)) {
    const annotations = own.map(annotationOf);
    const [{ annotation_count, protein_name, gene_name, organism, taxonomy_id }] = own;
    known.set(accession, {
      terms: knownTermsOf(annotations, placeOf).map((term) => Object.assign(term, referencesOf(term.go_id))),
      ids: idsKnownBy(annotations, placeOf),
      belowRoot: new Set(
        annotations.flatMap(({ go_term_id: id, go_id }) => (placeOf(id).above.size === 1 ? go_id : [])),
      ),
      protein: { protein_name, gene_name, organism, taxonomy_id },
      annotation_count,
    });
    await pause();
  }
  return known;
}

function annotationOf(row: AnnotationRow): AnnotationOfProtein {
  const {
    protein_name: _,
    gene_name: __,
    organism: ___,
    taxonomy_id: ____,
    annotation_count: _____,
    ...own
  } = row;
  return own;
}

const listed = (texts: Iterable<string>) => sql.join([...texts].map((text) => sql.lit(text)));
const experiments = listed(experimentalEvidence);

/**
 * Reads annotations of these proteins in the set, experiments first. What says that nothing was found is left out: ND, and an annotation
 * with the root of an aspect, which sources without codes have in its place.
 */
const annotationRows = prepared((db, annotationSetId: string, accessions: readonly string[]) =>
  sql<AnnotationRow>`
    with asked as (
      select s.number, (select r.number from reference r where r.annotation_set_id = s.id) as reference_number
      from annotation_set s where s.id = ${annotationSetId})
    select accession, go_term_id, go_id, name, aspect, qualifier, evidence_code, db_reference, with_from, assigned_by,
           annotation_date, annotation_count, protein_name, gene_name, organism, taxonomy_id
    from (
      select p.accession, a.go_term_id, t.go_id, t.name, t.aspect, a.qualifier, a.evidence_code, a.db_reference, a.with_from,
             a.assigned_by, a.annotation_date, p.protein_name, p.gene_name,
             case when m.protein_id is null or m.taxonomy_id = p.taxonomy_id then p.organism end as organism,
             case when m.protein_id is null then p.taxonomy_id else m.taxonomy_id end as taxonomy_id,
             count(*) over (partition by p.id)::int as annotation_count,
             row_number() over (partition by p.id order by a.evidence_code in (${experiments}) desc,
               t.aspect, t.go_id, a.evidence_code, a.db_reference, a.with_from, a.qualifier) as place
      from protein p
      join protein_go_annotation a on a.protein_id = p.id and a.evidence_code <> 'ND'
        and a.annotation_set_number = (select number from asked)
      join go_term t on t.id = a.go_term_id and t.go_id not in (${listed(rootTerms)})
      left join reference_protein m on m.protein_id = p.id
        and m.reference_number = (select reference_number from asked)
      where p.accession = any(${accessions}::text[])) numbered
    where place <= ${sql.lit(maxKnown)} order by accession, place`.compile(db),
);

/** Finds the place of each of these terms in the ontology. */
async function placesOf(db: Queryable, ontology: TermsOf, ids: readonly number[]): Promise<PlaceOf> {
  const terms = new Map<number, OntologyTerm>();
  for (let missing = [...new Set(ids)]; missing.length > 0; ) {
    const read = await termsByRow(db, ontology, missing);
    for (const id of missing) {
      const term = read.get(id);
      if (term !== undefined) terms.set(id, term);
    }
    const parents = missing.flatMap((id) => terms.get(id)?.parents ?? []);
    missing = [...new Set(parents)].filter((id) => !terms.has(id));
  }
  const found = new Map<number, TermPlace>();
  const isBinding = bindingIn(terms);
  return (id) => {
    const place = found.get(id) ?? { above: idsAbove(id, terms), isBinding: isBinding(id) };
    found.set(id, place);
    return place;
  };
}

/** Says of a term whether it is `binding`, or all its parents are such terms. */
function bindingIn(terms: ReadonlyMap<number, OntologyTerm>): (id: number) => boolean {
  const found = new Map<number, boolean>();
  const isBinding = (id: number): boolean => {
    const before = found.get(id);
    if (before !== undefined) return before;
    const term = terms.get(id);
    const parents = (term?.parents ?? []).filter((parent) => terms.get(parent)?.aspect === term?.aspect);
    const answer = term?.go_id === bindingTerm || (parents.length > 0 && parents.every(isBinding));
    found.set(id, answer);
    return answer;
  };
  return isBinding;
}

function idsAbove(id: number, terms: ReadonlyMap<number, OntologyTerm>): ReadonlySet<string> {
  const aspect = terms.get(id)?.aspect;
  const open = [id];
  const found = new Map<number, string>();
  for (const child of open)
    for (const parent of terms.get(child)?.parents ?? []) {
      const term = terms.get(parent);
      if (term === undefined || term.aspect !== aspect || found.has(parent)) continue;
      found.set(parent, term.go_id);
      open.push(parent);
    }
  return new Set(found.values());
}
