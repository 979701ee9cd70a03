import { NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { sequenceOnlyTitle } from '@kindred/contracts/sequence-only';
import { aspectsAsRead } from '@kindred/contracts/vocabulary';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Overview } from '../../app/api/predictions.js';
import { formatCount, percent } from '../../shared/format.js';
import { SortButton } from '../../shared/sort-button.js';
import { ariaSort, sorted, useSorting } from '../../shared/sorting.js';
import { standingWords } from '../../shared/standing.js';
import { useKey } from '../../shared/use-key.js';
import { ColumnChoice, useColumns } from './column-choice.js';
import type { OverviewRow } from './overview-model.js';
import styles from './protein-table.module.css';
import { columnValue, headingOf, type RunColumn, runColumns, widthsOf } from './run-columns.js';
import { knownOpen } from './use-view.js';

const rowPixels = 40;
/** The height of a card, which has the place of a row on a small screen. */
const cardPixels = 128;
const gapPixels = 14;
/** The number of rows that are drawn above and below the window, so that none is blank while it moves. */
const overscan = 20;
/** The columns of a card. */
const ofCards: readonly RunColumn[] = ['protein', 'name', 'certainty', ...aspectsAsRead];

interface Props {
  setId: string;
  rows: readonly OverviewRow[];
  terms: Overview['terms'];
}

/**
 * Shows any number of proteins, one on each line, or on a card where the window is narrow; only those in the window are in the page. The
 * keys j and k go down and up.
 */
export function ProteinTable({ setId, rows: given, terms }: Props) {
  const [sorting, sortBy, setSorting] = useSorting<RunColumn>();
  const [chosen, toggle] = useColumns();
  const isNarrow = useMediaQuery('(max-width: 860px)', false, { getInitialValueInEffect: false });
  const shown = isNarrow ? ofCards : chosen;
  const rows = useMemo(
    () => sorted(given, sorting, (row, column) => columnValue(row, column, terms)),
    [given, sorting, terms],
  );
  const isOfSeveral = useMemo(() => new Set(given.map((row) => row.reference)).size > 1, [given]);
  const list = useRef<HTMLDivElement>(null);
  const { items, height, top } = useLines(list, rows.length, isNarrow ? cardPixels : rowPixels);
  useMoves(list);
  const { template, least } = widthsOf(shown, gapPixels);
  return (
    <>
      <div className={styles.tools}>
        {isNarrow ? (
          <NativeSelect
            aria-label="Sort by"
            size="sm"
            value={sorting?.by ?? ''}
            data={[
              { value: '', label: 'In the order of the file' },
              ...runColumns.map(({ column, heading }) => ({
                value: column,
                label: `By ${heading.toLowerCase()}`,
              })),
            ]}
            onChange={(event) => {
              const by = event.currentTarget.value as RunColumn | '';
              setSorting(by === '' ? null : { by, descending: false });
            }}
          />
        ) : (
          <ColumnChoice shown={chosen} onToggle={toggle} />
        )}
      </div>
      <div
        role="table"
        aria-label="Proteins"
        aria-rowcount={rows.length + 1}
        className={styles.table}
        style={{ '--columns': template, '--least': `${isNarrow ? 0 : least}px` } as CSSProperties}
      >
        <div role="rowgroup" className={isNarrow ? styles.unseen : undefined}>
          <div role="row" className={styles.head} aria-rowindex={1}>
            {runColumns
              .filter(({ column }) => shown.includes(column))
              .map(({ column, heading }) => (
                <span
                  key={column}
                  role="columnheader"
                  data-aspect={column}
                  aria-sort={ariaSort(sorting, column)}
                >
                  {isNarrow ? (
                    heading
                  ) : (
                    <SortButton sort={ariaSort(sorting, column)} onSort={() => sortBy(column)}>
                      {heading}
                    </SortButton>
                  )}
                </span>
              ))}
          </div>
        </div>
        <div role="rowgroup" ref={list} className={styles.body} style={{ height }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={row.accession}
                role="row"
                aria-rowindex={index + 2}
                data-row
                className={isNarrow ? styles.card : styles.row}
                style={{ transform: `translateY(${start - top}px)` }}
              >
                {shown.map((column) => (
                  <span
                    key={column}
                    role="cell"
                    className={styles.cell}
                    data-column={column}
                    data-label={headingOf(column)}
                  >
                    <Cell {...{ setId, row, column, terms, isOfSeveral }} />
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** Places lines of one height in the window. */
function useLines(list: RefObject<HTMLDivElement | null>, count: number, pixels: number) {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [list]);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => pixels,
    overscan,
    scrollMargin: top,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, pixels]);
  return { items: virtual.getVirtualItems(), height: virtual.getTotalSize(), top };
}

function useMoves(list: RefObject<HTMLDivElement | null>): void {
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('[data-row] [data-protein]') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[at < 0 ? 0 : at + by]?.focus();
  };
  useKey('j', () => move(1));
  useKey('k', () => move(-1));
}

interface CellProps extends Pick<Props, 'setId' | 'terms'> {
  row: OverviewRow;
  column: RunColumn;
  /** Whether the proteins have their answers from several references, each of which is then named. */
  isOfSeveral: boolean;
}

function Cell({ setId, row, column, terms, isOfSeveral }: CellProps) {
  switch (column) {
    case 'protein':
      return (
        <Link
          data-protein
          to="/results/$setId"
          params={{ setId }}
          search={(before) => ({ ...before, protein: row.accession })}
        >
          {row.accession}
        </Link>
      );
    case 'name':
      return (
        <span title={row.name || (row.predictedName ?? undefined)}>
          {row.name}
          {row.predictedName !== null && <PredictedName after={row.name} name={row.predictedName} />}
          {isOfSeveral && row.reference !== null && <span className={styles.muted}> · {row.reference}</span>}
        </span>
      );
    case 'certainty':
      return (
        <span className={styles.standing} data-standing={row.standing}>
          {standingWords[row.standing]}
        </span>
      );
    case 'source':
      return <Source row={row} />;
    case 'identity':
      return row.nearest === null ? '–' : percent(row.nearest);
    case 'organism':
      return row.organism === '' ? '–' : <em title={row.organism}>{row.organism}</em>;
    case 'length':
      return formatCount(row.length);
    case 'F':
    case 'P':
    case 'C':
      return <BestTerm {...{ setId, row, aspect: column, terms }} />;
  }
}

/** Shows the name on which similar proteins agree, so that nobody takes it for a known one. */
function PredictedName({ after, name }: { after: string; name: string }) {
  return (
    <span className={styles.muted}>
      {after === '' ? '' : ' · '}predicted: {name}
    </span>
  );
}

function Source({ row: { source, isSequenceOnly } }: { row: OverviewRow }) {
  if (isSequenceOnly) return <span title={`${sequenceOnlyTitle}.`}>sequence alone</span>;
  if (source === null) return <span title="No protein or entry gave its first term">–</span>;
  if (source.isItself) return <span title={`Known as ${source.id}`}>itself</span>;
  return <span title={source.organism ?? undefined}>{source.id}</span>;
}

interface BestTermProps extends Pick<Props, 'setId' | 'terms'> {
  row: OverviewRow;
  aspect: (typeof aspectsAsRead)[number];
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
