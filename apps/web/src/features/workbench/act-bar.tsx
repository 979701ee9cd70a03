import { Button } from '@mantine/core';
import { operationRows } from '@kindred/contracts/operations';
import { routeRow } from '@kindred/contracts/routes';
import { ownRows } from '@kindred/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callRoute, fileAddress, pathOf, type RouteKey } from '../../app/api/call-route.js';
import { firstLines } from '../../shared/first-lines.js';
import { Loaded } from '../../shared/loading.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useMayCall } from '../account/use-may-call.js';
import type { Act } from './resources.js';
import { RouteForm } from './route-form.js';
import { fieldsOf } from './schema-fields.js';
import { SchemaForm } from './schema-form.js';
import { ValueView } from './value-view.js';
import styles from './workbench.module.css';

/** Says whether only the owner of a row and operators may call the route. */
function isForOwners(key: RouteKey): boolean {
  const { method, path } = pathOf(key);
  return routeRow(method, path)?.access === ownRows;
}

/** Returns the acts on a row that the visitor may use. */
export function useRowActs(acts: readonly Act[] = [], row: { may_change?: unknown }): Act[] {
  const mayCall = useMayCall();
  return acts.filter(({ route: key }) => mayCall(key) && (row.may_change !== false || !isForOwners(key)));
}

interface Props {
  acts: readonly Act[];
  /** The path parameters of the row, and of the rows above it. */
  params: Record<string, string>;
  /** The id of the row; absent for acts on a whole list. */
  rowId?: string | undefined;
  /** The act that stands out. */
  main?: Act | undefined;
}

/** Shows buttons that open a form or show a reply below. Files are links. */
export function ActBar({ acts, params, rowId, main }: Props) {
  const [open, setOpen] = useState<Act | null>(acts.find(({ atOnce }) => atOnce) ?? null);
  if (acts.length === 0) return null;
  return (
    <>
      <div className={styles.acts}>
        {acts.map((act) =>
          act.kind === 'file' ? (
            <Button
              key={keyOf(act)}
              component="a"
              variant="default"
              size="compact-sm"
              href={fileAddress(act.route, { params })}
              download
              data-act={keyOf(act)}
            >
              {act.label}
            </Button>
          ) : (
            <Button
              key={keyOf(act)}
              variant={open === act ? 'light' : act === main ? 'filled' : 'default'}
              size="compact-sm"
              {...(act.warning !== undefined && open !== act ? { c: 'var(--bad)' } : {})}
              aria-expanded={open === act}
              data-act={keyOf(act)}
              onClick={() => setOpen(open === act ? null : act)}
            >
              {act.label}
            </Button>
          ),
        )}
      </div>
      {open !== null && <OpenAct key={keyOf(open)} act={open} params={params} rowId={rowId} />}
    </>
  );
}

const keyOf = ({ route: key, operation }: Act) => (operation === undefined ? key : `${key} ${operation}`);

function OpenAct({ act, params, rowId }: Omit<Props, 'acts' | 'main'> & { act: Act }) {
  if (act.kind === 'show') return <Shown route={act.route} params={params} />;
  if (isTable(act.route)) return <FileForm act={act} params={params} />;
  const about = operationRows.find(({ name }) => name === act.operation)?.description;
  return (
    <>
      {about !== undefined && <p>{about}.</p>}
      {act.hint !== undefined && <p>{act.hint}</p>}
      <RouteForm act={act} params={params} rowId={rowId} />
    </>
  );
}

/** Says whether a table needs choices first; then the form makes its address. */
function isTable(key: RouteKey): boolean {
  return key.startsWith('GET ') && /\.tsv$|\/download$/.test(key);
}

function FileForm({ act, params }: { act: Act; params: Record<string, string> }) {
  const { method, path } = pathOf(act.route);
  const fields = fieldsOf(routeRow(method, path)?.query);
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  const [previewed, setPreviewed] = useState<string>();
  const address = fileAddress(act.route, { params, query: given(values) });
  return (
    <div className={styles.form}>
      <SchemaForm fields={fields} values={values} onChange={setValues} />
      <div className={styles.acts}>
        <Button component="a" href={address} download>
          Download
        </Button>
        {/\.tsv$/.test(act.route) && (
          <Button variant="default" onClick={() => setPreviewed(address)}>
            Preview
          </Button>
        )}
      </div>
      {previewed !== undefined && <TablePreview address={previewed} />}
    </div>
  );
}

/** Shows the first rows of a table of the service. The download stops when they are read. */
function TablePreview({ address }: { address: string }) {
  const lines = useQuery({
    queryKey: ['preview', address],
    queryFn: ({ signal }) => firstLines(address, signal),
    retry: false,
  });
  if (lines.error !== null) return <ProblemNote error={lines.error} title="No preview" />;
  return (
    <Loaded query={lines}>
      {([header = '', ...rows]) => {
        const names = header.split('\t');
        return rows.length === 0 ? (
          <p>The table has no rows.</p>
        ) : (
          <ValueView
            value={rows.map((row) =>
              Object.fromEntries(row.split('\t').map((cell, at) => [names[at], cell])),
            )}
          />
        );
      }}
    </Loaded>
  );
}

const given = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));

function Shown({ route: key, params }: { route: RouteKey; params: Record<string, string> }) {
  const reply = useQuery({
    queryKey: ['rows', 'whole', key, params],
    queryFn: () => callRoute(key, { params }).then((value) => ({ value })),
  });
  return <Loaded query={reply}>{({ value }) => <ValueView value={value} />}</Loaded>;
}
