import { type Aspect, aspectsAsRead } from '@kindred/contracts/vocabulary';
import type { Overview } from '../../app/api/predictions.js';
import { aspectNames } from '../../shared/aspect.js';
import { standings } from '../../shared/standing.js';
import type { OverviewRow } from './overview-model.js';

const others = ['protein', 'name', 'certainty', 'source', 'identity', 'organism', 'length'] as const;
/** A column of the table of a run. Those of aspects have the first term of the aspect. */
export type RunColumn = Aspect | (typeof others)[number];

/** All columns in their order, with the widths between which the browser chooses. */
export const runColumns: readonly { column: RunColumn; heading: string; least: number; share: number }[] = [
  { column: 'protein', heading: 'Protein', least: 92, share: 0.8 },
  { column: 'name', heading: 'Name', least: 90, share: 1.2 },
  { column: 'certainty', heading: 'Certainty', least: 116, share: 0 },
  ...aspectsAsRead.map((aspect) => ({
    column: aspect,
    heading: capital(aspectNames[aspect].split(' ').at(-1) ?? ''),
    least: 90,
    share: 1.2,
  })),
  { column: 'source', heading: 'Best source', least: 92, share: 0.6 },
  { column: 'identity', heading: 'Identity', least: 68, share: 0 },
  { column: 'organism', heading: 'Organism', least: 100, share: 0.8 },
  { column: 'length', heading: 'Length', least: 64, share: 0 },
];

/** The columns of a reader who has chosen none. */
export const usualColumns: readonly RunColumn[] = [
  'protein',
  'name',
  'certainty',
  ...aspectsAsRead,
  'source',
];

export function headingOf(column: RunColumn): string {
  return runColumns.find((one) => one.column === column)?.heading ?? column;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns the chosen columns in the order of the table, the protein always among them. What a browser stored is not trusted. */
export function columnsOf(stored: unknown): RunColumn[] {
  const chosen: readonly unknown[] = Array.isArray(stored) ? stored : usualColumns;
  return runColumns.flatMap(({ column }) =>
    column === 'protein' || chosen.includes(column) ? [column] : [],
  );
}

/** Returns the widths of columns for a CSS grid, and the width below which the table scrolls sideways. */
export function widthsOf(shown: readonly RunColumn[], gap: number): { template: string; least: number } {
  const columns = runColumns.filter(({ column }) => shown.includes(column));
  return {
    template: columns
      .map(({ least, share }) => (share === 0 ? `${least}px` : `minmax(${least}px, ${share}fr)`))
      .join(' '),
    least: columns.reduce((sum, { least }) => sum + least, gap * (columns.length - 1)),
  };
}

/** Returns the value by which a column sorts; null where a row has none. The surest proteins come first by certainty. */
export function columnValue(
  row: OverviewRow,
  column: RunColumn,
  terms: Overview['terms'],
): string | number | null {
  switch (column) {
    case 'protein':
      return row.accession;
    case 'name':
    case 'organism':
      return row[column] === '' ? null : row[column];
    case 'certainty':
      return standings.indexOf(row.standing) + 1 - (row.probability ?? 0);
    case 'source':
      return row.isSequenceOnly ? 'sequence alone' : (row.source?.id ?? null);
    case 'identity':
      return row.nearest;
    case 'length':
      return row.length;
    case 'F':
    case 'P':
    case 'C':
      return terms[row.best[column]?.go_id ?? '']?.name ?? null;
  }
}
