import { evidenceGroupOf } from '@kindred/kernels/combined';
import { TaxonConstraints } from '@kindred/kernels/taxon-constraints';
import type { OntologyColumns, TermRows } from '@kindred/kernels/ontology';
import { aspects } from '@kindred/kernels/vocabulary';
import { type SourceChoice, rowChooser } from './banks/source-choice.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import {
  currentTaxonConstraints,
  currentTaxonConstraintsHash,
} from '../store/ontology/taxon-constraints.repository.js';
import { negatedTerms } from '../store/references/reference-bank.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import { Numbering } from '../ground/numbering.js';

/** The rows of a batch may be contradicted. */
export interface ContradictableRows {
  query: Int32Array;
  /** The terms have the numbers of the bank. */
  term: Int32Array;
  /** This protein gave the term, -1 for none. */
  reference: Int32Array;
}

export interface ContradictionSources {
  bank: ReferenceBank;
  setNumber: number;
  /** Only these rows of the annotation set count. */
  sources: SourceChoice;
  ontology: OntologyColumns;
  closure: TermRows;
  /** Each query has this NCBI taxon, 0 if unknown. */
  taxon: Int32Array;
  /** Each taxon has its lineage, itself first; taxa that the taxonomy lacks are missing. */
  lineages: ReadonlyMap<number, readonly number[]>;
  /** Each query is this reference protein, -1 for none. */
  self: Int32Array;
}

/** Each row has an index into `texts`, -1 if nothing contradicts the term. */
export interface Contradictions {
  row: Int32Array;
  texts: string[];
}

/**
 * Finds contradictions of predicted terms: a taxon constraint that the query's organism breaks, or a NOT of
 * the protein itself or of the protein that gave the term, for the term or one above it. A term inherits the
 * constraints of all its ancestors.
 */
export async function contradictionsOf(
  rows: ContradictableRows,
  sources: ContradictionSources,
  context: Pick<OperationContext, 'db' | 'memory'>,
): Promise<Contradictions> {
  const texts = new Numbering<string>((text) => text);
  const broken = await brokenConstraints(sources, context);
  const denied = await deniedTerms(rows, sources, context);
  const row = rows.term.map((term, i) => {
    const query = rows.query[i];
    const text = broken(query, term) ?? denied(sources.self[query], term) ?? denied(rows.reference[i], term);
    return text === null ? -1 : texts.numberOf(text);
  });
  return { row, texts: texts.values };
}

type Found<Subject extends unknown[]> = (...subject: Subject) => string | null;

/**
 * Finds broken constraints by query and term. Without loaded constraints or taxonomy, or for a query of
 * unknown organism, the result is empty.
 */
async function brokenConstraints(
  { ontology, taxon, lineages }: ContradictionSources,
  context: Pick<OperationContext, 'db' | 'memory'>,
): Promise<Found<[query: number, term: number]>> {
  const loaded = lineages.size === 0 ? null : await loadedRules(ontology, context);
  if (loaded === null) return () => null;
  const { rules } = loaded;
  const ofTaxon = new Map(Array.from(lineages, ([id, lineage]) => [id, brokenIn(lineage, loaded)]));
  return (query, term) => {
    const number = ofTaxon.get(taxon[query])?.[term] ?? -1;
    if (number < 0) return null;
    const { termId, kind, taxon: named } = rules.arrays.constraints[number];
    return `${termId} ${kind} ${named}`;
  };
}

/**
 * The rules combine the constraints with one ontology, and keep the violations in the last requested
 * lineages.
 */
interface LoadedRules {
  contentSha256: string;
  ontology: OntologyColumns;
  rules: TaxonConstraints;
  broken: Map<string, Int32Array>;
}

/** This many lineages are kept: 4 bytes for each term and lineage, so at most 12 MB with 48,000 terms. */
const keptLineages = 64;
const lastRules = (): { last: LoadedRules | null } => ({ last: null });

/**
 * Reads the loaded constraints, and builds the rules again only when the constraints or the ontology have
 * changed.
 */
async function loadedRules(
  ontology: OntologyColumns,
  { db, memory }: Pick<OperationContext, 'db' | 'memory'>,
): Promise<LoadedRules | null> {
  const hash = await currentTaxonConstraintsHash(db);
  if (hash === undefined) return null;
  const kept = memory.part(lastRules);
  if (kept.last?.contentSha256 === hash && kept.last.ontology === ontology) return kept.last;
  const stored = await currentTaxonConstraints(db);
  if (stored === undefined) return null;
  const rules = new TaxonConstraints(ontology, stored.constraints, new Map(Object.entries(stored.unions)));
  kept.last = { contentSha256: stored.content_sha256, ontology, rules, broken: new Map() };
  return kept.last;
}

function brokenIn(lineage: readonly number[], { rules, broken }: LoadedRules): Int32Array {
  const key = lineage.join(' ');
  const known = broken.get(key);
  if (known !== undefined) return known;
  if (broken.size >= keptLineages) broken.clear();
  const found = rules.broken(lineage);
  broken.set(key, found);
  return found;
}

/** Finds denied terms by reference and term: the NOT that the protein has for the term or one above it. */
async function deniedTerms(
  { reference }: ContradictableRows,
  { bank, setNumber, sources, closure, self }: ContradictionSources,
  { db }: Pick<OperationContext, 'db'>,
): Promise<Found<[reference: number, term: number]>> {
  const proteins = [...new Set([...reference, ...self])].filter((number) => number >= 0);
  const accessions = proteins.map((number) => bank.texts.accessions[number]);
  const termOfRow = new Map(Array.from(bank.arrays.termRowId, (row, term) => [row, term]));
  const denied = new Map<string, Set<number>>();
  const isChosen = rowChooser(sources);
  for (const row of await negatedTerms(db, setNumber, accessions)) {
    const { accession, evidence_code: evidence, assigned_by: source, method } = row;
    const term = termOfRow.get(row.go_term_id);
    if (term === undefined || !isChosen({ evidence, source, group: evidenceGroupOf(evidence, method) }))
      continue;
    if (sources.aspects?.includes(aspects[bank.arrays.termAspect[term]]) === false) continue;
    denied.set(accession, (denied.get(accession) ?? new Set()).add(term));
  }
  return (number, term) => {
    const accession = number < 0 ? undefined : bank.texts.accessions[number];
    const terms = accession === undefined ? undefined : denied.get(accession);
    if (terms === undefined) return null;
    for (let at = closure.start[term]; at < closure.start[term + 1]; at++)
      if (terms.has(closure.terms[at])) return `${accession} NOT ${bank.texts.goIds[closure.terms[at]]}`;
    return null;
  };
}
