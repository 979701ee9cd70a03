import { Button, Checkbox } from '@mantine/core';
import { atLeast } from '@kindred/contracts/roles';
import { operationRows } from '@kindred/contracts/operations';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { rowsOrNone } from '../../app/api/client.js';
import { callRoute, type RouteKey } from '../../app/api/call-route.js';
import { plural } from '../../shared/format.js';
import { jobTitle } from '../../shared/job-title.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import page from '../../shared/page.module.css';
import table from '../../shared/table.module.css';
import { useAccount } from '../account/use-account.js';
import { useMayCall } from '../account/use-may-call.js';
import { ActBar, useRowActs } from './act-bar.js';
import { addressOf, partsOf } from './addresses.js';
import { comparedIn } from './experiment-comparison.js';
import { RowName } from './named-rows.js';
import { type Act, type OwnPart, type Resource, sections, type Section } from './resources.js';
import { RouteForm } from './route-form.js';
import { labelOf, rowLists } from './schema-fields.js';
import { useMayOpen } from './use-may-open.js';
import { usePartKey, usePartSearch } from './use-part.js';
import { ValueView } from './value-view.js';
import styles from './workbench.module.css';

export const ReferencesPage = () => <PartsPage section="references" />;
export const EvaluatePage = () => <PartsPage section="evaluate" />;
export const OperationPage = () => <PartsPage section="operation" />;
export const PeoplePage = () => <PartsPage section="people" />;

/** Shows one part of a page: lists of the API and forms drawn from its schemas, below links to the parts that a visitor may use. */
function PartsPage({ section }: { section: Section }) {
  const parts = partsOf(section);
  const key = usePartKey();
  const part = parts.find((one) => one.key === key) ?? parts[0];
  // The list of parts depends on the role, so nothing is shown before the role is known, and nothing moves.
  const isKnown = !useAccount().isPending;
  if (part === undefined) return null;
  return (
    <Page title={sections[section]} about={part.title}>
      {isKnown ? (
        <>
          <PartLinks parts={parts} open={part} />
          <p className={styles.lead}>{part.lead}</p>
          <PartView key={part.key} resource={part} params={{}} above={[]} />
        </>
      ) : (
        <div className={page.waiting} />
      )}
    </Page>
  );
}

/** Leads to the parts that the visitor may use. The open part is always there. */
function PartLinks({ parts, open }: { parts: readonly Resource[]; open: Resource }) {
  const mayOpen = useMayOpen();
  return (
    <nav className={styles.parts} aria-label="Parts of this page">
      {parts
        .filter((one) => one === open || mayOpen(one))
        .map((one) => (
          <Link
            key={one.key}
            {...addressOf(one)}
            search={{}}
            // The address of the first part begins those of all others.
            activeOptions={{ exact: true }}
            aria-current={one === open ? 'page' : undefined}
          >
            {one.title}
          </Link>
        ))}
    </nav>
  );
}

interface ViewProps {
  resource: Resource;
  /** The path parameters that the row above gives. */
  params: Record<string, string>;
  /** The open rows that contain the list, the outermost first. */
  above: readonly string[];
}

/** Parts that need code of their own come when they are opened, each by itself. */
const ownParts: Readonly<Record<OwnPart, ComponentType>> = {
  accounts: part(async () => (await import('../administration/user-list.js')).UserList),
  'audit log': part(async () => (await import('../administration/audit-table.js')).AuditTable),
  'benchmark grid': part(async () => (await import('./benchmark-grid-view.js')).BenchmarkGrid),
  'counted proteins': part(async () => (await import('../references/held-figures.js')).HeldFigures),
  'dataset import': part(async () => (await import('./dataset-import.js')).DatasetImport),
  'experiment comparison': part(
    async () => (await import('./experiment-comparison-view.js')).ExperimentComparison,
  ),
  jobs: part(async () => (await import('../jobs/job-list.js')).JobList),
  references: part(async () => (await import('../references/reference-builder.js')).References),
  'reranker import': part(async () => (await import('./reranker-import.js')).RerankerImport),
};

function part(load: () => Promise<ComponentType>) {
  return lazy(async () => ({ default: await load() }));
}

function PartView({ resource, params, above }: ViewProps) {
  const mayCall = useMayCall();
  const { list, operations, own } = resource;
  const acts = (resource.acts ?? []).filter((act) => mayCall(act.route, act.operation));
  const Own = own === undefined ? undefined : ownParts[own];
  const isOpen = useMayOpen()(resource);
  return (
    <div className={styles.body}>
      <ActBar acts={acts} params={params} main={acts.find(mayBeMain(own))} />
      {/* The list waits for the part above it, so that nothing moves when that comes. */}
      <Suspense fallback={<Loaded query={{ data: undefined, error: null }}>{() => null}</Loaded>}>
        {Own !== undefined && isOpen && <Own />}
        {operations === true && mayCall('POST /jobs') && <Operations />}
        {list !== undefined && resource.columns !== undefined && mayCall(list) && (
          <Rows resource={resource} list={list} params={params} above={above} />
        )}
      </Suspense>
      {!isOpen && (
        <p>
          This needs another role. <Link to="/sign-in">Sign in</Link> with an account that has it.
        </p>
      )}
    </div>
  );
}

/** An own part with a form has the filled button of the page. */
const withForm: readonly (OwnPart | undefined)[] = ['dataset import', 'references', 'reranker import'];

/** Says which act may be the main one of a part: one that adds something, and deletes nothing. */
const mayBeMain =
  (own: OwnPart | undefined) =>
  ({ route, warning }: Act) =>
    route.startsWith('POST ') && warning === undefined && !withForm.includes(own);

function Rows({ resource, list, params, above }: ViewProps & { list: RouteKey }) {
  const { compare } = usePartSearch().search;
  const reply = useQuery({
    queryKey: ['rows', list, resource.within, params],
    queryFn: () => rowsOrNone(callRoute(list, { params }).then((value) => rowsIn(value, resource.within))),
  });
  return (
    <Loaded query={reply}>
      {(rows) =>
        rows.length === 0 ? (
          <p>{resource.empty ?? 'None is there yet.'}</p>
        ) : (
          // The compared rows are ticked at the start.
          <RowTable key={compare} resource={resource} rows={rows} params={params} above={above} />
        )
      }
    </Loaded>
  );
}

type Row = Record<string, unknown>;

function rowsIn(reply: unknown, within: string | undefined): Row[] {
  const rows = within === undefined ? reply : (reply as Row)[within];
  return Array.isArray(rows) ? (rows as Row[]) : [];
}

const idOf = (row: Row) => String(row.id ?? row.accession);

/** Returns the open row of a list. The address holds it, with the rows that contain the list. */
function useOpenRow(above: readonly string[]) {
  const {
    search: { open },
    change,
  } = usePartSearch();
  const path = open?.split(',') ?? [];
  const isHere = above.every((id, at) => path[at] === id);
  const openId = isHere ? path[above.length] : undefined;
  return {
    openId,
    /** This value is true if no row inside the open one is open. */
    isLast: path.length === above.length + 1,
    toggle: (id: string) => {
      const next = id === openId ? above : [...above, id];
      const search = next.length === 0 ? undefined : next.join(',');
      change({ open: search });
    },
  };
}

function RowTable({ resource, rows, params, above }: ViewProps & { rows: readonly Row[] }) {
  const { columns = [], rowActs = [], children = [], compares } = resource;
  const { openId, isLast, toggle } = useOpenRow(above);
  const { compare } = usePartSearch().search;
  const [ticked, setTicked] = useState<readonly string[]>(() => comparedIn(compare));
  const hasMore = rowActs.length + children.length > 0;
  const open = rows.find((row) => idOf(row) === openId);
  return (
    <>
      {compares !== undefined && <CompareBar compares={compares} ticked={ticked} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label={resource.title}>
        <table className={table.table}>
          <thead>
            <tr>
              {compares !== undefined && <th scope="col">Compare</th>}
              {columns.map((column) => (
                <th key={column} scope="col">
                  {labelOf(column)}
                </th>
              ))}
              {hasMore && <th scope="col">More</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={idOf(row)}>
                {compares !== undefined && (
                  <td data-label="Compare">
                    <Tick
                      id={idOf(row)}
                      name={String(row[columns[0] ?? 'id'])}
                      most={compares.most}
                      ticked={ticked}
                      onTicked={setTicked}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column} data-label={labelOf(column)}>
                    <Cell row={row} column={column} />
                  </td>
                ))}
                {hasMore && (
                  <td data-label="More">
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-expanded={idOf(row) === openId}
                      onClick={() => toggle(idOf(row))}
                    >
                      Open
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {open !== undefined && (
        <OpenRow
          key={openId}
          resource={resource}
          row={open}
          params={params}
          above={[...above, idOf(open)]}
          comesIntoView={isLast}
        />
      )}
    </>
  );
}

/** Shows a field of a row. The id of another row is shown as its name. */
function Cell({ row, column }: { row: Row; column: string }) {
  const list = rowLists[column];
  const value = row[column];
  if (list !== undefined && typeof value === 'string') return <RowName list={list} id={value} />;
  return <ValueView value={value} name={column} />;
}

interface TickProps {
  id: string;
  name: string;
  most: number;
  ticked: readonly string[];
  onTicked: (ids: readonly string[]) => void;
}

function Tick({ id, name, most, ticked, onTicked }: TickProps) {
  const isTicked = ticked.includes(id);
  return (
    <Checkbox
      aria-label={`Compare ${name}`}
      checked={isTicked}
      disabled={!isTicked && ticked.length >= most}
      onChange={() => onTicked(isTicked ? ticked.filter((other) => other !== id) : [...ticked, id])}
    />
  );
}

interface CompareBarProps {
  compares: NonNullable<Resource['compares']>;
  ticked: readonly string[];
}

function CompareBar({ compares: { noun, most }, ticked }: CompareBarProps) {
  const { change } = usePartSearch();
  return (
    <div className={styles.acts}>
      <Button
        size="compact-sm"
        disabled={ticked.length < 2}
        onClick={() => change({ compare: ticked.join(',') }, { keepsHistory: true, staysInPlace: false })}
      >
        {ticked.length < 2 ? `Compare ${noun}s` : `Compare ${plural(ticked.length, noun)}`}
      </Button>
      <span className={table.muted}>Tick 2 to {most} to see them side by side.</span>
    </div>
  );
}

/** Shows the actions on one row, and its own lists. */
function OpenRow({
  resource,
  row,
  params,
  above,
  comesIntoView,
}: ViewProps & { row: Row; comesIntoView: boolean }) {
  const section = useRef<HTMLElement>(null);
  const headingId = useId();
  // The open row is scrolled into view, because an address may lead to a row far down.
  useEffect(() => {
    if (comesIntoView) section.current?.scrollIntoView({ block: 'nearest' });
  }, [comesIntoView]);
  const [name, field, version] = resource.param ?? ['id', 'id'];
  const id = version === undefined ? String(row[field]) : `${String(row[field])}@${String(row[version])}`;
  // The id is passed under several names, because some routes call it differently.
  const own = { ...params, [name]: id, user_id: id, ...(params.id === undefined ? { id } : {}) };
  const acts = useRowActs(resource.rowActs, row);
  return (
    <section ref={section} className={styles.body} aria-labelledby={headingId}>
      <h2 id={headingId}>
        <Cell row={row} column={resource.columns?.[0] ?? field} />
      </h2>
      <ActBar acts={acts} params={own} rowId={idOf(row)} />
      {resource.children?.map((child) => (
        <div key={child.key} className={styles.body}>
          <h3>{child.title}</h3>
          <PartView resource={child} params={own} above={above} />
        </div>
      ))}
    </section>
  );
}

/** Offers the form of any operation. */
function Operations() {
  const role = useAccount().data?.role ?? 'viewer';
  const open = operationRows.filter(({ light }) => light || atLeast(role, 'operator'));
  const [name, setName] = useState<string>(open[0]?.name ?? '');
  const chosen = open.find((row) => row.name === name);
  return (
    <>
      <div className={styles.acts}>
        {open.map((row) => (
          <Button
            key={row.name}
            size="compact-sm"
            variant={row.name === name ? 'light' : 'default'}
            aria-pressed={row.name === name}
            data-act={`POST /jobs ${row.name}`}
            onClick={() => setName(row.name)}
          >
            {jobTitle(row.name)}
          </Button>
        ))}
      </div>
      {chosen !== undefined && (
        <>
          <p>{chosen.description}.</p>
          <RouteForm
            key={chosen.name}
            act={{ route: 'POST /jobs', label: 'Queue it', operation: chosen.name }}
            params={{}}
          />
        </>
      )}
    </>
  );
}
