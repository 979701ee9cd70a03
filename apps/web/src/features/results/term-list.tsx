import { useState } from 'react';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount } from '../../shared/format.js';
import { TermLink } from '../../shared/term-link.js';
import table from '../../shared/table.module.css';
import type { TermRow } from './overview-model.js';

const shownAtOnce = 200;

interface Props {
  rows: readonly TermRow[];
  /** Proteins that the counts are of. */
  proteins: number;
  onChoose: (goId: string) => void;
}

/** Terms of the answers, with how many proteins have them. */
export function TermList({ rows, proteins, onChoose }: Props) {
  const [shown, setShown] = useState(shownAtOnce);
  if (rows.length === 0) return <p>No protein of this choice has a term.</p>;
  return (
    <>
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col">Aspect</th>
              <th scope="col" className={table.number}>
                Proteins
              </th>
              <th scope="col" className={table.number}>
                Strong
              </th>
              <th scope="col" className={table.number}>
                Share
              </th>
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
                <td data-label="Strong" className={table.number}>
                  {formatCount(row.strong)}
                </td>
                <td data-label="Share" className={table.number}>
                  {((100 * row.proteins) / Math.max(1, proteins)).toFixed(1)} %
                </td>
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
