import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getQuotas, type Quotas as Reply } from '../../app/api/administration.js';
import { formatBytes, formatCount, formatTime, plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import table from '../../shared/table.module.css';
import { rateWords } from './rate-words.js';
import styles from './workbench.module.css';

/** Who used how much of the daily quotas today, and every limit with the setting that changes it; read only. */
export function Quotas() {
  const quotas = useQuery({ queryKey: ['rows', 'quotas'], queryFn: getQuotas });
  return (
    <Loaded query={quotas}>
      {({ today, daily, rates, sizes }) => (
        <>
          <h2>Used today</h2>
          <Use today={today} />
          <h2>Daily quotas</h2>
          <Daily daily={daily} />
          <h2>Requests</h2>
          <p className={styles.hint}>For each caller. A role may have a rate of its own.</p>
          <Rates rates={rates} />
          <h2>Sizes</h2>
          <Sizes sizes={sizes} />
        </>
      )}
    </Loaded>
  );
}

interface Column<Row> {
  title: string;
  isNumber?: true;
  cell: (row: Row) => ReactNode;
}

function Plain<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row, at: number) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
    <section className={table.scroll} tabIndex={0} aria-label={label}>
      <table className={table.table}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber && table.number}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} data-label={title} className={isNumber && table.number}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Caller = Reply['today']['callers'][number];

function Use({ today: { callers, caller_count: all, resets_at: end } }: { today: Reply['today'] }) {
  const when = `All is free again at ${formatTime(end)}.`;
  if (callers.length === 0) return <p>Nobody has used a daily quota today. {when}</p>;
  return (
    <>
      <p className={styles.hint}>
        {callers.length < all ? `The ${callers.length} of ${plural(all, 'caller')} that used most. ` : ''}
        Roles without a quota are not counted. {when}
      </p>
      <Plain
        label="Used today"
        rows={callers}
        keyOf={({ user_id: id }, at) => id ?? String(at)}
        columns={[
          { title: 'Caller', cell: (caller) => <CallerName caller={caller} /> },
          { title: 'Role', cell: ({ role }) => (role === null ? '' : roleName(role)) },
          { title: 'Sequences', isNumber: true, cell: ({ sequences }) => usedWords(sequences) },
          { title: 'Jobs', isNumber: true, cell: ({ jobs }) => usedWords(jobs) },
        ]}
      />
    </>
  );
}

function CallerName({ caller: { username, email, role } }: { caller: Caller }) {
  if (username === null) return role === 'viewer' ? 'A visitor without an account' : 'A deleted account';
  return (
    <>
      {username}
      <br />
      <span className={table.muted}>{email}</span>
    </>
  );
}

const usedWords = ({ used, limit }: Caller['jobs']) =>
  limit === null ? formatCount(used) : `${formatCount(used)} of ${formatCount(limit)}`;

const roleName = (role: string) => (role === 'viewer' ? 'without an account' : role);

const limitWords = (limit: number | null) => (limit === null ? 'without limit' : formatCount(limit));

function Daily({ daily }: { daily: Reply['daily'] }) {
  return (
    <Plain
      label="Daily quotas"
      rows={daily}
      keyOf={({ role }) => role}
      columns={[
        { title: 'Role', cell: ({ role }) => roleName(role) },
        { title: 'Sequences', isNumber: true, cell: (row) => limitWords(row.sequences_per_day) },
        { title: 'Jobs', isNumber: true, cell: (row) => limitWords(row.jobs_per_day) },
      ]}
    />
  );
}

function Rates({ rates }: { rates: Reply['rates'] }) {
  return (
    <Plain
      label="Requests"
      rows={rates}
      keyOf={({ name }) => name}
      columns={[
        { title: 'What', cell: ({ routes }) => routes },
        {
          title: 'At most',
          cell: ({ rate, of_roles: others }) => (
            <>
              {rateWords(rate)}
              {others.map(({ role, rate: own }) => (
                <div key={role} className={table.muted}>
                  {role}: {rateWords(own)}
                </div>
              ))}
            </>
          ),
        },
        { title: 'Setting', cell: ({ setting }) => <code className={table.code}>{setting}</code> },
      ]}
    />
  );
}

function Sizes({ sizes }: { sizes: Reply['sizes'] }) {
  return (
    <Plain
      label="Sizes"
      rows={sizes}
      keyOf={({ setting }) => setting}
      columns={[
        { title: 'What', cell: ({ meaning }) => meaning },
        {
          title: 'At most',
          isNumber: true,
          cell: ({ setting, value }) =>
            setting.endsWith('_BYTES') ? formatBytes(value) : formatCount(value),
        },
        { title: 'Setting', cell: ({ setting }) => <code className={table.code}>{setting}</code> },
      ]}
    />
  );
}
