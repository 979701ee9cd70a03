import type { Aspect } from '@kindred/contracts';
import type { Overview } from '../../app/api/predictions.js';
import { aspectOrder } from '../../shared/aspect.js';
import { evidenceKindWords, evidenceOf } from '../../shared/evidence.js';
import type { EvidenceKind } from '../../shared/evidence-kinds.js';
import { formatCount, plural } from '../../shared/format.js';
import {
  identityBandOf,
  identityBands,
  identityBandWords,
  type IdentityBand,
} from '../../shared/identity-band.js';
import { type Standing, standings, standingWords } from '../../shared/standing.js';

type OverviewTerm = Overview['proteins'][number]['terms'][number];

export interface OverviewRow {
  accession: string;
  /** The position in the file, from 0; 0 for all rows without a file. */
  position: number;
  /** The line of the FASTA file; undefined for a protein of the catalogue. */
  header: string | undefined;
  name: string;
  /** The name on which similar proteins agree; null if there is none. */
  predictedName: string | null;
  /** The scientific name of its organism; empty if unknown. */
  organism: string;
  /** The number of residues. */
  length: number;
  standing: Standing;
  /** The probability of its first predicted term; null if there is none. */
  probability: number | null;
  noAnswer: Overview['proteins'][number]['no_answer'];
  /** Whether nothing in the reference is similar, and the terms come from the sequence alone. */
  isSequenceOnly: boolean;
  /** The reference that the answer refers to; null if it has no name. */
  reference: string | null;
  terms: readonly OverviewTerm[];
  /** The first term of each aspect. */
  best: Readonly<Partial<Record<Aspect, OverviewTerm>>>;
  /** The organisms of the sources of the best terms. */
  organisms: readonly string[];
  evidence: readonly EvidenceKind[];
  /** The source of the first term, itself if the term is known; null if no protein gave the term. */
  source: { id: string; isItself: boolean; organism: string | null } | null;
  /** The identity with the nearest source of the best terms, 0 to 1; null if nothing was aligned. */
  nearest: number | null;
  /** The band of identity with the nearest source of the best terms. */
  identity: IdentityBand;
  /** The accession, the header and the protein that it is known as, in lower case, for a search. */
  text: string;
}

export interface OverviewTable {
  /** The rows in the order of the file. */
  rows: readonly OverviewRow[];
  terms: Overview['terms'];
  /** The id and the name of each term in lower case, for a search. */
  termTexts: ReadonlyMap<string, string>;
}

/** Puts the pages of an overview together as they arrive, so that little is left to do after the last one. */
export class OverviewBuilder {
  readonly #rows: OverviewRow[] = [];
  readonly #terms: Overview['terms'] = {};

  add({ proteins, terms, organisms }: Overview): void {
    Object.assign(this.#terms, terms);
    for (const protein of proteins) this.#rows.push(rowOf(protein, terms, organisms));
  }

  /** The number of proteins so far. */
  get count(): number {
    return this.#rows.length;
  }

  table(): OverviewTable {
    const rows = this.#rows.toSorted((a, b) => a.position - b.position || compare(a.accession, b.accession));
    const texts = Object.entries(this.#terms).map(
      ([id, { name }]) => [id, `${id} ${name}`.toLowerCase()] as const,
    );
    return { rows, terms: this.#terms, termTexts: new Map(texts) };
  }
}

export function tableOf(pages: readonly Overview[]): OverviewTable {
  const builder = new OverviewBuilder();
  for (const page of pages) builder.add(page);
  return builder.table();
}

function rowOf(
  protein: Overview['proteins'][number],
  names: Overview['terms'],
  organismOf: Overview['organisms'],
): OverviewRow {
  const { accession, position, header, name, no_answer, terms, known_as: known, reference } = protein;
  const knownName = [known?.name, known?.accession === accession ? null : known?.accession];
  const best: Partial<Record<Aspect, OverviewTerm>> = {};
  for (const term of terms) {
    const aspect = names[term.go_id]?.aspect;
    if (aspect !== undefined) best[aspect] ??= term;
  }
  const shown = Object.values(best);
  const nearest = largest(shown.map(({ identity }) => identity));
  return {
    accession,
    position: position ?? 0,
    header: header ?? undefined,
    name: name ?? '',
    predictedName: protein.predicted_name,
    organism: protein.organism ?? '',
    length: protein.length,
    standing: standingOf(protein),
    probability: terms.find(({ kind }) => kind === 'predicted')?.probability ?? null,
    noAnswer: no_answer,
    isSequenceOnly: protein.is_sequence_only,
    reference,
    terms,
    best,
    organisms: [...new Set(shown.flatMap(({ source_id }) => organismOf[source_id ?? ''] ?? []))],
    evidence: [...new Set(shown.map(({ evidence_code }) => evidenceOf(strongestOf(evidence_code)).kind))],
    source: sourceOf(terms[0], organismOf),
    nearest,
    identity: identityBandOf(nearest),
    text: [accession, header, ...knownName, protein.predicted_name, reference]
      .filter(Boolean)
      .join(' ')
      .toLowerCase(),
  };
}

function sourceOf(term: OverviewTerm | undefined, organismOf: Overview['organisms']): OverviewRow['source'] {
  if (term === undefined || term.source_id === null) return null;
  const { source_id: id, kind } = term;
  return { id, isItself: kind === 'known', organism: organismOf[id] ?? null };
}

/** Returns the strongest code. A known term has the codes of all its annotations, the strongest first. */
function strongestOf(codes: string | null): string | null {
  return codes?.split('|', 1)[0] ?? null;
}

/** Returns the largest value; null if none is known. */
function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Returns the standing of a protein by its own predictions, even if terms of a GO slim stand for them. */
function standingOf({ known_by, term_count, certainty }: Overview['proteins'][number]): Standing {
  if (known_by !== null) return 'known';
  return term_count === 0 ? 'none' : (certainty ?? 'uncalibrated');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The choices by which a visitor narrows the table down. Empty lists let everything pass. */
export interface OverviewFilter {
  search?: string;
  standing?: Standing;
  /** The aspect of which a protein must have a term in its answer. */
  aspect?: Aspect;
  evidence?: EvidenceKind;
  organism?: string;
  identity?: IdentityBand;
  /** The term that a protein must have in its answer. */
  term?: string;
}

export function filterRows(table: OverviewTable, filter: OverviewFilter): OverviewRow[] {
  const fails = failuresOf(table, filter);
  return table.rows.filter((row) => fails(row).length === 0);
}

type FilterKey = keyof OverviewFilter;

/** Returns the parts of a filter that a row does not pass, the first two at most. */
function failuresOf({ termTexts }: OverviewTable, filter: OverviewFilter): (row: OverviewRow) => FilterKey[] {
  const words = (filter.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  // A word is searched for once in each term, instead of in the terms of every protein.
  const sought = words.map((word) => ({
    word,
    termsWith: new Set([...termTexts].flatMap(([id, text]) => (text.includes(word) ? [id] : []))),
  }));
  const { standing, aspect, evidence, organism, identity, term } = filter;
  const passes: [FilterKey, (row: OverviewRow) => boolean][] = [];
  if (standing !== undefined) passes.push(['standing', (row) => row.standing === standing]);
  if (aspect !== undefined) passes.push(['aspect', (row) => row.best[aspect] !== undefined]);
  if (evidence !== undefined) passes.push(['evidence', (row) => row.evidence.includes(evidence)]);
  if (organism !== undefined) passes.push(['organism', (row) => row.organisms.includes(organism)]);
  if (identity !== undefined) passes.push(['identity', (row) => row.identity === identity]);
  if (term !== undefined) passes.push(['term', (row) => row.terms.some(({ go_id }) => go_id === term)]);
  for (const { word, termsWith } of sought)
    passes.push([
      'search',
      ({ text, terms }) => text.includes(word) || terms.some(({ go_id }) => termsWith.has(go_id)),
    ]);
  return (row) => {
    const failed: FilterKey[] = [];
    for (const [key, pass] of passes) {
      if (pass(row)) continue;
      failed.push(key);
      if (failed.length === 2) break;
    }
    return failed;
  };
}

export interface Choice {
  value: string;
  label: string;
  count: number;
}
export interface Facet {
  key: 'standing' | 'aspect' | 'evidence' | 'organism' | 'identity' | 'term';
  title: string;
  choices: Choice[];
}
/** The number of organisms of source proteins that are offered; the others are found by a search. */
const offeredOrganisms = 8;
/** The number of terms of a GO slim that are offered; the table of terms has them all. */
const offeredTerms = 12;

/**
 * Returns the choices that narrow the rows down, with the number of rows that each would leave of those that pass all other filters; with
 * `ofSlim` also the most frequent terms, which are those of a GO slim.
 */
export function facetsOf(
  table: OverviewTable,
  filter: OverviewFilter,
  aspectNames: Readonly<Record<Aspect, string>>,
  ofSlim = false,
): Facet[] {
  const facets = countFacets(table, filter, ofSlim);
  const choices = (key: Facet['key'], label: (value: string) => string): Choice[] =>
    [...facets[key]].map(([value, count]) => ({ value, label: label(value), count }));
  const inOrder = (found: Choice[], order: readonly string[]) =>
    found.sort((a, b) => order.indexOf(a.value) - order.indexOf(b.value));
  const mostFirst = (found: Choice[]) => found.sort((a, b) => b.count - a.count || compare(a.label, b.label));
  const ofTerms = mostFirst(choices('term', (value) => table.terms[value]?.name ?? value));
  return [
    {
      key: 'standing',
      title: 'Certainty',
      choices: inOrder(
        choices('standing', (value) => standingWords[value as Standing]),
        standings,
      ),
    },
    {
      key: 'aspect',
      title: 'Has a',
      choices: inOrder(
        choices('aspect', (value) => aspectNames[value as Aspect].toLowerCase()),
        aspectOrder,
      ),
    },
    {
      key: 'evidence',
      title: 'Source’s evidence',
      choices: mostFirst(choices('evidence', (value) => evidenceKindWords[value as EvidenceKind])),
    },
    {
      key: 'organism',
      title: 'Source organism',
      choices: mostFirst(choices('organism', (value) => value)).slice(0, offeredOrganisms),
    },
    {
      key: 'identity',
      title: 'Identity with the nearest source',
      choices: inOrder(
        choices('identity', (value) => identityBandWords[value as IdentityBand]),
        identityBands,
      ),
    },
    ...(ofSlim ? [{ key: 'term' as const, title: 'GO slim', choices: ofTerms.slice(0, offeredTerms) }] : []),
  ];
}

/** Counts the facets in one pass over the rows. A row counts for a choice unless another part of the filter refuses the row. */
function countFacets(
  table: OverviewTable,
  filter: OverviewFilter,
  ofSlim: boolean,
): Record<Facet['key'], Map<string, number>> {
  const counts = {
    standing: new Map<string, number>(),
    aspect: new Map<string, number>(),
    evidence: new Map<string, number>(),
    organism: new Map<string, number>(),
    identity: new Map<string, number>(),
    term: new Map<string, number>(),
  };
  const fails = failuresOf(table, filter);
  for (const row of table.rows) {
    const failed = fails(row);
    const counted = (key: Facet['key']) => failed.length === 0 || (failed.length === 1 && failed[0] === key);
    const add = (key: Facet['key'], values: readonly string[]) => {
      const found = counts[key];
      for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
    };
    if (counted('standing')) add('standing', [row.standing]);
    if (counted('aspect')) add('aspect', Object.keys(row.best));
    if (counted('evidence')) add('evidence', row.evidence);
    if (counted('organism')) add('organism', row.organisms);
    if (counted('identity')) add('identity', [row.identity]);
    if (ofSlim && counted('term'))
      add(
        'term',
        row.terms.map(({ go_id }) => go_id),
      );
  }
  return counts;
}

/** Writes a summary such as `1,000 proteins: 214 known exactly, 530 strong, 75 without an answer.` */
export function summaryOf(rows: readonly OverviewRow[]): string {
  const words: Readonly<Record<Standing, string>> = {
    known: 'known exactly',
    strong: 'strong',
    likely: 'likely',
    possible: 'possible',
    weak: 'weak',
    uncalibrated: 'not calibrated',
    none: 'without an answer',
  };
  const parts = standings.flatMap((standing) => {
    const count = rows.filter((row) => row.standing === standing).length;
    return count === 0 ? [] : [`${formatCount(count)} ${words[standing]}`];
  });
  const sentence = `${plural(rows.length, 'protein')}: ${parts.join(', ')}.`;
  const alone = rows.filter((row) => row.isSequenceOnly).length;
  if (alone === 0) return sentence;
  const all = alone + rows.filter((row) => row.noAnswer === 'no_similar_protein').length;
  return `${sentence} ${formatCount(all)} without a similar protein in the reference, of which ${formatCount(alone)} answered from the sequence alone.`;
}

export interface TermRow {
  goId: string;
  name: string;
  aspect: Aspect;
  /** Whether the term says little, as `binding` does. */
  isGeneral: boolean;
  proteins: number;
  strong: number;
}

/** Returns the terms of the answers with the number of proteins that have each, most first; terms that say little are last. */
export function termRows({ terms }: OverviewTable, rows: readonly OverviewRow[]): TermRow[] {
  const found = new Map<string, TermRow>();
  for (const row of rows)
    for (const { go_id: goId, kind, certainty } of row.terms) {
      const named = terms[goId];
      if (named === undefined) continue;
      const { name, aspect, is_general: isGeneral } = named;
      const known = found.get(goId) ?? { goId, name, aspect, isGeneral, proteins: 0, strong: 0 };
      known.proteins += 1;
      if (kind === 'known' || certainty === 'strong') known.strong += 1;
      found.set(goId, known);
    }
  return [...found.values()].sort(
    (a, b) => Number(a.isGeneral) - Number(b.isGeneral) || b.proteins - a.proteins || compare(a.name, b.name),
  );
}
