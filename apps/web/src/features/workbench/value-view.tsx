import type { ReactNode } from 'react';
import { formatCount, formatTime } from '../../shared/format.js';
import table from '../../shared/table.module.css';
import { labelOf } from './schema-fields.js';
import styles from './workbench.module.css';

const shownRows = 200;
const instant = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** Any JSON value in words: numbers and times as people write them, objects as facts, lists as tables. */
export function ValueView({ value }: { value: unknown }): ReactNode {
  if (value === null || value === undefined || value === '') return <span className={table.muted}>none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : value.toPrecision(4);
  if (typeof value === 'string') return instant.test(value) ? formatTime(value) : value;
  if (Array.isArray(value)) return <ListView rows={value} />;
  return (
    <dl className={styles.facts}>
      {Object.entries(value).map(([name, part]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            <ValueView value={part} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ListView({ rows }: { rows: readonly unknown[] }) {
  if (rows.length === 0) return <span className={table.muted}>none</span>;
  const first = rows[0];
  if (typeof first !== 'object' || first === null) return rows.slice(0, shownRows).map(String).join(', ');
  const columns = Object.keys(first);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
    <section className={table.scroll} tabIndex={0} aria-label="Rows">
      <table className={table.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownRows).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what comes from anywhere has no id, and the list never changes
            <tr key={at}>
              {columns.map((column) => (
                <td key={column} data-label={labelOf(column)}>
                  <ValueView value={(row as Record<string, unknown>)[column]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
