import type { Aspect } from '@kindred/contracts';
import type { Overview } from '../../app/api/predictions.js';
import { aspectOrder } from '../../shared/aspect.js';
import { evidenceKindWords, evidenceOf, type EvidenceKind } from '../../shared/evidence.js';
import { readHeader } from '../../shared/fasta.js';
import { formatCount, plural } from '../../shared/format.js';
import { type Standing, standings, standingWords } from '../../shared/standing.js';

type OverviewTerm = Overview['proteins'][number]['terms'][number];

export interface OverviewRow {
  accession: string;
  /** The line of the FASTA file; undefined for a protein of the catalogue. */
  header: string | undefined;
  name: string;
  standing: Standing;
  noAnswer: Overview['proteins'][number]['no_answer'];
  terms: readonly OverviewTerm[];
  /** The first term of each aspect in the order of the answer. */
  best: Readonly<Partial<Record<Aspect, OverviewTerm>>>;
  /** Of the sources of the best terms. */
  organisms: readonly string[];
  evidence: readonly EvidenceKind[];
  /** What a search looks into, in lower case. */
  haystack: string;
}

export interface OverviewTable {
  /** In the order of the file. */
  rows: readonly OverviewRow[];
  terms: Overview['terms'];
}

/** Puts the pages of an overview together. */
export function tableOf(pages: readonly Overview[]): OverviewTable {
  const terms: Overview['terms'] = Object.assign({}, ...pages.map((page) => page.terms));
  const organisms: Overview['organisms'] = Object.assign({}, ...pages.map((page) => page.organisms));
  const proteins = pages.flatMap((page) => page.proteins);
  proteins.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || compare(a.accession, b.accession));
  return { rows: proteins.map((protein) => rowOf(protein, terms, organisms)), terms };
}

function rowOf(
  { accession, header, known_by, no_answer, terms }: Overview['proteins'][number],
  names: Overview['terms'],
  organismOf: Overview['organisms'],
): OverviewRow {
  const best: Partial<Record<Aspect, OverviewTerm>> = {};
  for (const term of terms) {
    const aspect = names[term.go_id]?.aspect;
    if (aspect !== undefined) best[aspect] ??= term;
  }
  const shown = Object.values(best);
  const words = terms.map(({ go_id }) => `${go_id} ${names[go_id]?.name ?? ''}`);
  return {
    accession,
    header: header ?? undefined,
    name: readHeader(header ?? '').name,
    standing: known_by === null ? standingOf(terms) : 'known',
    noAnswer: no_answer,
    terms,
    best,
    organisms: [...new Set(shown.flatMap(({ source_id }) => organismOf[source_id ?? ''] ?? []))],
    evidence: [...new Set(shown.map(({ evidence_code }) => evidenceOf(evidence_code).kind))],
    haystack: [accession, header ?? '', ...words].join(' ').toLowerCase(),
  };
}

function standingOf(terms: readonly OverviewTerm[]): Standing {
  if (terms.length === 0) return 'none';
  const found = terms.map(({ certainty }) => certainty);
  for (const certainty of ['strong', 'likely', 'possible'] as const)
    if (found.includes(certainty)) return certainty;
  return found.every((certainty) => certainty === null) ? 'uncalibrated' : 'possible';
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What a visitor narrowed the table down to. Empty lists let everything pass. */
export interface OverviewFilter {
  search?: string;
  standing?: Standing;
  /** Proteins that have a term of this aspect in their answer. */
  aspect?: Aspect;
  evidence?: EvidenceKind;
  organism?: string;
  /** Proteins that have this term in their answer. */
  term?: string;
}

export function filterRows(rows: readonly OverviewRow[], filter: OverviewFilter): OverviewRow[] {
  const words = (filter.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (row) =>
      (filter.standing === undefined || row.standing === filter.standing) &&
      (filter.aspect === undefined || row.best[filter.aspect] !== undefined) &&
      (filter.evidence === undefined || row.evidence.includes(filter.evidence)) &&
      (filter.organism === undefined || row.organisms.includes(filter.organism)) &&
      (filter.term === undefined || row.terms.some(({ go_id }) => go_id === filter.term)) &&
      words.every((word) => row.haystack.includes(word)),
  );
}

export interface Choice {
  value: string;
  label: string;
  count: number;
}
export interface Facet {
  key: 'standing' | 'aspect' | 'evidence' | 'organism';
  title: string;
  choices: Choice[];
}
/** Organisms of source proteins that are offered; the others are found by a search. */
const offeredOrganisms = 8;

/** What the rows can be narrowed down by, with how many each choice would leave of the rows that pass all other filters. */
export function facetsOf(
  rows: readonly OverviewRow[],
  filter: OverviewFilter,
  aspectNames: Readonly<Record<Aspect, string>>,
): Facet[] {
  const without = (key: Facet['key']) => filterRows(rows, { ...filter, [key]: undefined });
  const count = (values: readonly string[], label: (value: string) => string): Choice[] => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].map(([value, found]) => ({ value, label: label(value), count: found }));
  };
  const inOrder = (choices: Choice[], order: readonly string[]) =>
    choices.sort((a, b) => order.indexOf(a.value) - order.indexOf(b.value));
  return [
    {
      key: 'standing',
      title: 'Certainty',
      choices: inOrder(
        count(
          without('standing').map((row) => row.standing),
          (value) => standingWords[value as Standing],
        ),
        standings,
      ),
    },
    {
      key: 'aspect',
      title: 'Has a',
      choices: inOrder(
        count(
          without('aspect').flatMap((row) => Object.keys(row.best)),
          (value) => aspectNames[value as Aspect].toLowerCase(),
        ),
        aspectOrder,
      ),
    },
    {
      key: 'evidence',
      title: 'Source’s evidence',
      choices: count(
        without('evidence').flatMap((row) => row.evidence),
        (value) => evidenceKindWords[value as EvidenceKind],
      ).sort((a, b) => b.count - a.count),
    },
    {
      key: 'organism',
      title: 'Source organism',
      choices: count(
        without('organism').flatMap((row) => row.organisms),
        (value) => value,
      )
        .sort((a, b) => b.count - a.count || compare(a.value, b.value))
        .slice(0, offeredOrganisms),
    },
  ];
}

/** `1,000 proteins: 214 known exactly, 530 strong, 75 without an answer.` */
export function summaryOf(rows: readonly OverviewRow[]): string {
  const words: Readonly<Record<Standing, string>> = {
    known: 'known exactly',
    strong: 'strong',
    likely: 'likely',
    possible: 'possible',
    uncalibrated: 'not calibrated',
    none: 'without an answer',
  };
  const parts = standings.flatMap((standing) => {
    const count = rows.filter((row) => row.standing === standing).length;
    return count === 0 ? [] : [`${formatCount(count)} ${words[standing]}`];
  });
  return `${plural(rows.length, 'protein')}: ${parts.join(', ')}.`;
}

export interface TermRow {
  goId: string;
  name: string;
  aspect: Aspect;
  proteins: number;
  strong: number;
}

/** Terms of the answers with how many proteins have them, most first. */
export function termRows({ terms }: OverviewTable, rows: readonly OverviewRow[]): TermRow[] {
  const found = new Map<string, TermRow>();
  for (const row of rows)
    for (const { go_id: goId, certainty } of row.terms) {
      const named = terms[goId];
      if (named === undefined) continue;
      const known = found.get(goId) ?? { goId, ...named, proteins: 0, strong: 0 };
      known.proteins += 1;
      if (certainty === 'strong') known.strong += 1;
      found.set(goId, known);
    }
  return [...found.values()].sort((a, b) => b.proteins - a.proteins || compare(a.name, b.name));
}

export interface Difference {
  accession: string;
  gained: readonly string[];
  lost: readonly string[];
}

/** Proteins whose answer differs in the other run: terms that it has more, and less. A protein of one run alone has all or none. */
export function differencesOf(here: readonly OverviewRow[], other: readonly OverviewRow[]): Difference[] {
  const idsOf = (row: OverviewRow | undefined) => new Set(row?.terms.map(({ go_id }) => go_id) ?? []);
  const others = new Map(other.map((row) => [row.accession, row]));
  const accessions = new Set([...here, ...other].map((row) => row.accession));
  const own = new Map(here.map((row) => [row.accession, row]));
  return [...accessions].flatMap((accession) => {
    const [before, after] = [idsOf(own.get(accession)), idsOf(others.get(accession))];
    const gained = [...after].filter((id) => !before.has(id));
    const lost = [...before].filter((id) => !after.has(id));
    return gained.length + lost.length === 0 ? [] : [{ accession, gained, lost }];
  });
}
