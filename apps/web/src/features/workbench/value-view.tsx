import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatTime, percent } from '../../shared/format.js';
import { jobTitle } from '../../shared/job-title.js';
import table from '../../shared/table.module.css';
import { labelOf } from './schema-fields.js';
import styles from './workbench.module.css';

const shownRows = 200;
const instant = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const digest = /^[0-9a-f]{64}$/;

/** Shows any JSON value in words: numbers and times as people write them, objects as facts, lists as tables. Ids are a detail. */
export function ValueView({ value, name }: { value: unknown; name?: string | undefined }): ReactNode {
  if (value === null && name !== undefined && /(^|_)limit$|_per_day$/.test(name)) return 'no limit';
  if (value === null || value === undefined || value === '') return <span className={table.muted}>none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && name?.endsWith('_bytes')) return formatBytes(value);
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : value.toPrecision(4);
  if (typeof value === 'string') return <Text value={value} name={name} />;
  if (Array.isArray(value)) return <ListView rows={value} />;
  if (name === 'feature_importance') return <Shares values={value as Record<string, unknown>} />;
  const parts = value as Record<string, unknown>;
  if (name === 'parameters' && parts.type === 'object') return <Parameters properties={parts.properties} />;
  return isGrid(parts) ? <GridView of={parts} /> : <Facts of={parts} />;
}

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

/**
 * Recognises several objects of single values, such as the figures of each aspect, which are easier to read with one row for each object.
 */
function isGrid(of: Record<string, unknown>): of is Record<string, Record<string, unknown>> {
  const parts = Object.values(of);
  return (
    parts.length > 1 &&
    parts.every(
      (part) => !isScalar(part) && !Array.isArray(part) && Object.values(part as object).every(isScalar),
    )
  );
}

function GridView({ of }: { of: Record<string, Record<string, unknown>> }) {
  const columns = [...new Set(Object.values(of).flatMap((part) => Object.keys(part)))];
  return (
    <Wide>
      <thead>
        <tr>
          <td />
          {columns.map((column) => (
            <th key={column} scope="col">
              {labelOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(of).map(([name, part]) => (
          <tr key={name}>
            <th scope="row">{labelOf(name)}</th>
            {columns.map((column) => (
              <td key={column} data-label={labelOf(column)}>
                <ValueView value={part[column]} name={column} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}

/** Lets a table scroll in its own room. The room is a group instead of a landmark, because a page may have many. */
function Wide({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
    <div className={table.scroll} tabIndex={0} role="group" aria-label="Rows">
      <table className={table.table}>{children}</table>
    </div>
  );
}

/** The words for who or what chose the reference and the model of runs. */
const choosers: Readonly<Record<string, string>> = {
  caller: 'you',
  operator: 'an operator',
  organism: 'the organism of most queries',
  newest: 'the day of the newest annotation',
  reference: 'the reference',
  'most vectors': 'the number of vectors',
};

function Text({ value, name }: { value: string; name: string | undefined }) {
  if (instant.test(value)) return formatTime(value);
  if (name?.endsWith('_chosen_by')) return choosers[value] ?? value;
  if (name === 'operation') return jobTitle(value);
  if (name === 'status' && value === value.toUpperCase()) return value.toLowerCase();
  return value;
}

const isId = (value: unknown) => typeof value === 'string' && uuid.test(value);

/** Recognises what only programs read. */
const isOpaque = (value: unknown) => isId(value) || (typeof value === 'string' && digest.test(value));

function Facts({ of }: { of: Record<string, unknown> }) {
  const entries = Object.entries(of);
  const facts = entries.filter(([, part]) => !isOpaque(part));
  const ids = entries.filter(([, part]) => isOpaque(part));
  return (
    <>
      <dl className={styles.facts}>
        {facts.map(([name, part]) => (
          <div key={name}>
            <dt>{labelOf(name)}</dt>
            <dd>
              <ValueView value={part} name={name} />
            </dd>
          </div>
        ))}
      </dl>
      {ids.length > 0 && (
        <details className={styles.ids}>
          <summary>Ids and digests</summary>
          {ids.map(([name, part]) => (
            <div key={name}>
              {labelOf(name) || 'Id'} <code className={table.code}>{String(part)}</code>
            </div>
          ))}
        </details>
      )}
    </>
  );
}

/** Shows the parameters that a plugin takes, from their JSON Schema: their names and what they mean. */
function Parameters({ properties }: { properties: unknown }) {
  const all = Object.entries(
    (properties ?? {}) as Record<string, { description?: string; default?: unknown }>,
  );
  if (all.length === 0) return <span className={table.muted}>none</span>;
  return (
    <ul className={styles.parameters}>
      {all.map(([name, { description, default: usual }]) => (
        <li key={name}>
          <code>{name}</code>
          {description !== undefined && `: ${description}`}
          {usual !== undefined && <span className={table.muted}> (default {String(usual)})</span>}
        </li>
      ))}
    </ul>
  );
}

/** Shows numbers by name, the largest first, with bars. */
function Shares({ values }: { values: Record<string, unknown> }) {
  const rows = Object.entries(values)
    .filter((row): row is [string, number] => typeof row[1] === 'number')
    .sort((a, b) => b[1] - a[1]);
  const most = rows[0]?.[1] ?? 0;
  const sum = rows.reduce((total, [, value]) => total + value, 0);
  if (rows.length === 0) return <span className={table.muted}>none</span>;
  return (
    <ol className={styles.shares}>
      {rows.slice(0, shownRows).map(([feature, value]) => (
        <li key={feature}>
          <span>{labelOf(feature)}</span>
          <meter min={0} max={most || 1} value={value} aria-label={labelOf(feature)} />
          <span className={table.muted}>{sum === 0 ? '' : percent(value / sum)}</span>
        </li>
      ))}
    </ol>
  );
}

/**
 * The length from which on the rows with a list of objects are shown one below the other, so that the list gets the width of the page.
 */
const longList = 4;
const hasTable = (row: unknown) =>
  Object.values(row as Record<string, unknown>).some(
    (part) => Array.isArray(part) && part.length >= longList && !isScalar(part[0]),
  );

function ListView({ rows }: { rows: readonly unknown[] }) {
  if (rows.length === 0) return <span className={table.muted}>none</span>;
  const first = rows[0];
  if (typeof first !== 'object' || first === null) return rows.slice(0, shownRows).map(String).join(', ');
  if (rows.some(hasTable))
    // biome-ignore lint/suspicious/noArrayIndexKey: what comes from anywhere has no id, and the list never changes
    return rows.slice(0, shownRows).map((row, at) => <Facts key={at} of={row as Record<string, unknown>} />);
  // A column of ids alone is useless to readers; a single row shows them among its facts.
  const columns = Object.keys(first).filter(
    (column) => !rows.every((row) => isId((row as Record<string, unknown>)[column])),
  );
  return (
    <Wide>
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
                <ValueView value={(row as Record<string, unknown>)[column]} name={column} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Wide>
  );
}
