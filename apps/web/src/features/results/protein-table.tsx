import { type Aspect, aspectsAsRead } from '@kindred/contracts/vocabulary';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Overview } from '../../app/api/predictions.js';
import { aspectNames } from '../../shared/aspect.js';
import { useKey } from '../../shared/use-key.js';
import { SortButton } from '../../shared/sort-button.js';
import { ariaSort, sorted, useSorting } from '../../shared/sorting.js';
import { standings, standingWords } from '../../shared/standing.js';
import type { OverviewRow } from './overview-model.js';
import styles from './overview.module.css';
import { knownOpen } from './use-view.js';

const columns: readonly Aspect[] = aspectsAsRead;
type Column = Aspect | 'protein' | 'certainty';
const headings: readonly (readonly [Column, string])[] = [
  ['protein', 'Protein'],
  ['certainty', 'Certainty'],
  ...columns.map((aspect) => [aspect, aspectNames[aspect]] as const),
];
const rowPixels = 40;
/** The number of rows that are drawn above and below the window, so that none is blank while it moves. */
const overscan = 20;

interface Props {
  setId: string;
  rows: readonly OverviewRow[];
  terms: Overview['terms'];
}

/** Shows any number of proteins, one on each line; only the lines in the window are in the page. The keys j and k go down and up. */
export function ProteinTable({ setId, rows: given, terms }: Props) {
  const [sorting, sortBy] = useSorting<Column>();
  const rows = useMemo(
    () =>
      sorted(given, sorting, (row, column) => {
        if (column === 'protein') return row.accession;
        if (column === 'certainty') return standings.indexOf(row.standing);
        return terms[row.best[column]?.go_id ?? '']?.name ?? null;
      }),
    [given, sorting, terms],
  );
  const isOfSeveral = useMemo(() => new Set(given.map((row) => row.reference)).size > 1, [given]);
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPixels,
    overscan,
    scrollMargin: top,
  });
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('[data-row] [data-protein]') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[at < 0 ? 0 : at + by]?.focus();
  };
  useKey('j', () => move(1));
  useKey('k', () => move(-1));
  return (
    <div role="table" aria-label="Proteins" aria-rowcount={rows.length + 1} className={styles.table}>
      <div role="rowgroup">
        <div role="row" className={styles.head} aria-rowindex={1}>
          {headings.map(([column, heading]) => (
            <span key={column} role="columnheader" data-aspect={column} aria-sort={ariaSort(sorting, column)}>
              <SortButton sort={ariaSort(sorting, column)} onSort={() => sortBy(column)}>
                {heading}
              </SortButton>
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} className={styles.body} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={row.accession}
              role="row"
              aria-rowindex={index + 2}
              data-row
              className={styles.row}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <span role="cell" className={styles.protein}>
                <Link
                  data-protein
                  to="/results/$setId"
                  params={{ setId }}
                  search={(before) => ({ ...before, protein: row.accession })}
                >
                  {row.accession}
                </Link>
                {row.name !== '' && <span className={styles.name}> {row.name}</span>}
                {isOfSeveral && row.reference !== null && (
                  <span className={styles.name}> · {row.reference}</span>
                )}
              </span>
              <span role="cell">
                <span className={styles.standing} data-standing={row.standing}>
                  {standingWords[row.standing]}
                </span>
              </span>
              {columns.map((aspect) => (
                <span key={aspect} role="cell" className={styles.best}>
                  <BestTerm setId={setId} row={row} aspect={aspect} terms={terms} />
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface BestTermProps extends Pick<Props, 'setId' | 'terms'> {
  row: OverviewRow;
  aspect: Aspect;
}

/** Shows the first term of an aspect, with a link to what it rests on. */
function BestTerm({ setId, row, aspect, terms }: BestTermProps) {
  const best = row.best[aspect];
  if (best === undefined) return null;
  const { go_id: goId, kind } = best;
  const open = kind === 'known' ? knownOpen(goId) : goId;
  return (
    <Link
      to="/results/$setId"
      params={{ setId }}
      search={(before) => ({ ...before, protein: row.accession, aspect, open })}
      title={terms[goId]?.name}
    >
      {terms[goId]?.name ?? goId}
    </Link>
  );
}
