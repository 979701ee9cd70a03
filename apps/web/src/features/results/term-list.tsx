import { defaultMaxRate } from '@kindred/contracts/vocabulary';
import { useState } from 'react';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount } from '../../shared/format.js';
import { SortButton } from '../../shared/sort-button.js';
import { ariaSort, sorted, useSorting } from '../../shared/sorting.js';
import { TermLink } from '../../shared/term-link.js';
import table from '../../shared/table.module.css';
import type { TermRow } from './overview-model.js';
import type { EnrichedTerm } from './use-enrichment.js';

const shownAtOnce = 200;

type Column = 'name' | 'aspect' | 'proteins' | 'strong' | 'share' | 'compared' | 'rate';
const columns: readonly { column: Column; heading: string; meaning?: string; compared?: true }[] = [
  { column: 'name', heading: 'Term' },
  { column: 'aspect', heading: 'Aspect' },
  { column: 'proteins', heading: 'Proteins' },
  { column: 'strong', heading: 'Known or strong' },
  { column: 'share', heading: 'Share' },
  {
    ...{ column: 'compared', heading: 'Compared with', compared: true },
    meaning: 'Share of the proteins that these are compared with',
  },
  {
    ...{ column: 'rate', heading: 'False discovery rate', compared: true },
    meaning: 'Share of such differences that chance would make',
  },
];
const words: ReadonlySet<Column> = new Set<Column>(['name', 'aspect']);

function valueOf(row: TermRow, column: Column, enriched: Props['enriched']): string | number | null {
  if (column === 'aspect') return aspectNames[row.aspect];
  if (column === 'share') return row.proteins;
  if (column !== 'compared' && column !== 'rate') return row[column];
  const term = enriched?.get(row.goId);
  if (term === undefined) return null;
  return column === 'rate' ? term.false_discovery_rate : term.population_with_term;
}

interface Props {
  rows: readonly TermRow[];
  /** The number of proteins that the counts refer to. */
  proteins: number;
  /** How often other proteins have the terms, if the two are compared. */
  enriched?: ReadonlyMap<string, EnrichedTerm> | undefined;
  onChoose: (goId: string) => void;
}

/** Lists the terms of the answers, with the number of proteins that have each. */
export function TermList({ rows: given, proteins, enriched, onChoose }: Props) {
  const [shown, setShown] = useState(shownAtOnce);
  const [sorting, sortBy] = useSorting<Column>();
  const rows = sorted(given, sorting, (row, column) => valueOf(row, column, enriched));
  if (rows.length === 0) return <p>No protein of this choice has a term.</p>;
  return (
    <>
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              {columns
                .filter(({ compared }) => compared === undefined || enriched !== undefined)
                .map(({ column, heading, meaning }) => (
                  <th
                    key={column}
                    scope="col"
                    title={meaning}
                    className={words.has(column) ? undefined : table.number}
                    aria-sort={ariaSort(sorting, column)}
                  >
                    <SortButton sort={ariaSort(sorting, column)} onSort={() => sortBy(column)}>
                      {heading}
                    </SortButton>
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={row.goId}>
                <td data-label="Term">
                  <TermLink goId={row.goId} name={row.name} />
                </td>
                <td data-label="Aspect" className={table.muted}>
                  {aspectNames[row.aspect]}
                </td>
                <td data-label="Proteins" className={table.number}>
                  <button type="button" className={table.textButton} onClick={() => onChoose(row.goId)}>
                    {formatCount(row.proteins)}
                  </button>
                </td>
                <td data-label="Known or strong" className={table.number}>
                  {formatCount(row.strong)}
                </td>
                <td data-label="Share" className={table.number}>
                  {((100 * row.proteins) / Math.max(1, proteins)).toFixed(1)} %
                </td>
                {enriched !== undefined && <Compared term={enriched.get(row.goId)} />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <p>
          <button type="button" className={table.textButton} onClick={() => setShown(shown + shownAtOnce)}>
            Show more of {formatCount(rows.length)} terms
          </button>
        </p>
      )}
    </>
  );
}

/** Shows the comparison of a term. A term that all or none of the proteins have was not tested. */
function Compared({ term }: { term: EnrichedTerm | undefined }) {
  if (term === undefined)
    return (
      <>
        <td data-label="Compared with" className={table.number}>
          –
        </td>
        <td data-label="False discovery rate" className={table.number}>
          not tested
        </td>
      </>
    );
  return (
    <>
      <td data-label="Compared with" className={table.number}>
        {((100 * term.population_with_term) / Math.max(1, term.population)).toFixed(1)} %
      </td>
      <td data-label="False discovery rate" className={table.number}>
        {rate(term.false_discovery_rate)}
        {term.false_discovery_rate <= defaultMaxRate && ` (${term.direction})`}
      </td>
    </>
  );
}

function rate(value: number): string {
  return value < 0.001 ? value.toExponential(1) : value.toFixed(3);
}
