import { type Standing, standings, standingWords } from '../../shared/standing.js';
import type { OverviewRow } from './overview-model.js';

/** The groups of what changed in an answer, with the words for them. */
export const changeWords = {
  gained: 'New terms',
  lost: 'Lost terms',
  surer: 'Surer terms',
  lessSure: 'Less sure terms',
} as const;
export type ChangeGroup = keyof typeof changeWords;
export const changeGroups = Object.keys(changeWords) as ChangeGroup[];

export interface Change {
  goId: string;
  group: ChangeGroup;
  /** How certain the term is in each run; null where the run does not have it. */
  from: Standing | null;
  to: Standing | null;
}

export interface Difference {
  accession: string;
  changes: readonly Change[];
}

export interface Comparison {
  /** The number of proteins that both runs have. */
  shared: number;
  /** The accessions of the proteins of one run alone. */
  onlyHere: readonly string[];
  onlyThere: readonly string[];
  /** The proteins of both runs with different answers. */
  differences: readonly Difference[];
}

/** Compares the answers of two runs. Proteins of one run alone are named, and have no changes. */
export function compareRuns(here: readonly OverviewRow[], there: readonly OverviewRow[]): Comparison {
  const others = new Map(there.map((row) => [row.accession, row]));
  const own = new Set(here.map(({ accession }) => accession));
  const shared = here.flatMap((row) => {
    const other = others.get(row.accession);
    return other === undefined ? [] : [{ accession: row.accession, changes: changesOf(row, other) }];
  });
  return {
    shared: shared.length,
    onlyHere: here.flatMap(({ accession }) => (others.has(accession) ? [] : accession)),
    onlyThere: there.flatMap(({ accession }) => (own.has(accession) ? [] : accession)),
    differences: shared.filter(({ changes }) => changes.length > 0),
  };
}

function changesOf(here: OverviewRow, there: OverviewRow): Change[] {
  const [before, after] = [standingsOf(here), standingsOf(there)];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((goId): Change[] => {
    const [from, to] = [before.get(goId) ?? null, after.get(goId) ?? null];
    if (from === to) return [];
    return [{ goId, group: groupOf(from, to), from, to }];
  });
}

function groupOf(from: Standing | null, to: Standing | null): ChangeGroup {
  if (from === null) return 'gained';
  if (to === null) return 'lost';
  return standings.indexOf(to) < standings.indexOf(from) ? 'surer' : 'lessSure';
}

function standingsOf({ terms }: OverviewRow): Map<string, Standing> {
  return new Map(
    terms.map(({ go_id, kind, certainty }) => [
      go_id,
      kind === 'known' ? 'known' : (certainty ?? 'uncalibrated'),
    ]),
  );
}

/** Writes a comparison as a table with one line a change, and one for each protein of one run alone. */
export function comparisonTable(
  { differences, onlyHere, onlyThere }: Comparison,
  nameOf: (goId: string) => string,
): string {
  const lines = [
    ['protein', 'change', 'go_id', 'term', 'from', 'to'],
    ...differences.flatMap(({ accession, changes }) =>
      changes.map(({ goId, group, from, to }) => [
        accession,
        changeWords[group],
        goId,
        nameOf(goId),
        wordOf(from),
        wordOf(to),
      ]),
    ),
    ...onlyHere.map((accession) => [accession, 'Only in this run', '', '', '', '']),
    ...onlyThere.map((accession) => [accession, 'Only in the other run', '', '', '', '']),
  ];
  return lines.map((line) => `${line.join('\t')}\n`).join('');
}

export function wordOf(standing: Standing | null): string {
  return standing === null ? '' : standingWords[standing].toLowerCase();
}
