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

/** One row per method, one column per aspect. */
export function MethodTable({ rows }: { rows: MethodFigures[] }) {
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
                    fmax={row.figures[key]?.fmax ?? null}
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

function Figure({ fmax, isBest }: { fmax: number | null; isBest: boolean }) {
  if (fmax === null) return <span className={styles.none}>not evaluated</span>;
  const text = fmax.toFixed(3);
  return isBest ? <strong>{text}</strong> : text;
}
