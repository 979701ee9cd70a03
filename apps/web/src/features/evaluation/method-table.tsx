import { Link } from '@tanstack/react-router';
import type { CafaAspect, MethodFigures } from '../../app/api/showcase.js';
import { aspectNames } from '../../shared/aspect.js';
import table from '../../shared/table.module.css';
import { bestOf } from './best.js';
import styles from './evaluation.module.css';

const columns: readonly { key: CafaAspect; name: string }[] = [
  { key: 'BPO', name: aspectNames.P },
  { key: 'MFO', name: aspectNames.F },
  { key: 'CCO', name: aspectNames.C },
];

/** Shows a table with one row for each method and one column for each aspect. */
export function MethodTable({ rows, setId }: { rows: MethodFigures[]; setId: string }) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Method</th>
            {columns.map(({ key, name }) => (
              <th key={key} scope="col" className={table.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.method}>
              <td data-label="Method">
                {row.label}
                {row.is_baseline && <span className={styles.tag}>baseline</span>}
              </td>
              {columns.map(({ key, name }) => (
                <td key={key} data-label={name} className={table.number}>
                  <Figure
                    setId={setId}
                    figure={row.figures[key] ?? null}
                    isBest={row.figures[key]?.fmax === bestOf(rows, key)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface FigureProps {
  setId: string;
  figure: MethodFigures['figures'][string];
  isBest: boolean;
}

/** Shows a figure with a link to the result that has it, with its frame and its files. */
function Figure({ setId, figure, isBest }: FigureProps) {
  if (figure == null) return <span className={styles.none}>not evaluated</span>;
  const text = figure.fmax.toFixed(3);
  return (
    <>
      <Link
        to="/evaluate/{-$part}"
        params={{ part: undefined }}
        search={{ open: `${setId},${figure.evaluation_result_id}` }}
      >
        {isBest ? <strong>{text}</strong> : text}
      </Link>
      {!figure.listed && <span className={styles.tag}>not listed</span>}
    </>
  );
}
