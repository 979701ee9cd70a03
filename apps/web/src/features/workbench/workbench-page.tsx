import { Button } from '@mantine/core';
import { atLeast } from '@kindred/contracts/roles';
import { operationRows, routeRow } from '@kindred/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callRoute, fileAddress, pathOf, type RouteKey } from '../../app/api/call-route.js';
import { jobTitle } from '../../shared/job-title.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import page from '../../shared/page.module.css';
import table from '../../shared/table.module.css';
import { useAccount } from '../account/use-account.js';
import { type Act, type Resource, resources, sections, type Section } from './resources.js';
import { RouteForm } from './route-form.js';
import { fieldsOf, labelOf } from './schema-fields.js';
import { SchemaForm } from './schema-form.js';
import { ValueView } from './value-view.js';
import styles from './workbench.module.css';

const route = getRouteApi('/workbench/$resource');

/** Everything that the API does, for those who may: lists, and forms that are drawn from its schemas. */
export function WorkbenchPage() {
  const { resource: key } = route.useParams();
  const resource = resources.find((one) => one.key === key) ?? resources[0];
  // What is listed depends on the role: nothing is shown before that is known, so that nothing moves.
  const isKnown = !useAccount().isPending;
  if (resource === undefined) return null;
  return (
    <Page title={resource.title} lead={resource.lead}>
      {isKnown ? (
        <div className={styles.columns}>
          <Menu />
          <ResourceView key={resource.key} resource={resource} params={{}} />
        </div>
      ) : (
        <div className={page.waiting} />
      )}
    </Page>
  );
}

/** The visitor may call the route, as far as the role decides. */
function useMayCall(): (key: RouteKey) => boolean {
  const role = useAccount().data?.role ?? 'viewer';
  return (key) => {
    const { method, path } = pathOf(key);
    return atLeast(role, routeRow(method, path)?.floor ?? 'admin');
  };
}

function Menu() {
  const mayCall = useMayCall();
  const isOpen = ({ list, acts = [] }: Resource) =>
    list === undefined ? acts.some((act) => mayCall(act.route)) : mayCall(list);
  return (
    <nav className={styles.menu} aria-label="Workbench">
      {(Object.keys(sections) as Section[]).map((section) => {
        const shown = resources.filter((one) => one.section === section && isOpen(one));
        if (shown.length === 0) return null;
        return (
          <div key={section} className={styles.menuPart}>
            <div className={styles.menuTitle}>{sections[section]}</div>
            {shown.map((one) => (
              <Link key={one.key} to="/workbench/$resource" params={{ resource: one.key }}>
                {one.title}
              </Link>
            ))}
          </div>
        );
      })}
    </nav>
  );
}

interface ViewProps {
  resource: Resource;
  /** Path parameters that the row above gives. */
  params: Record<string, string>;
}

function ResourceView({ resource, params }: ViewProps) {
  const mayCall = useMayCall();
  const { list, acts = [], operations } = resource;
  return (
    <div className={styles.body}>
      <ActBar acts={acts.filter((act) => mayCall(act.route))} params={params} />
      {operations === true && mayCall('POST /jobs') && <Operations />}
      {list !== undefined && mayCall(list) && <Rows resource={resource} list={list} params={params} />}
      {list !== undefined && !mayCall(list) && (
        <p>
          This list needs another role. <Link to="/sign-in">Sign in</Link> to see it.
        </p>
      )}
    </div>
  );
}

/** Buttons that open a form or show a reply below; files are links. */
function ActBar({ acts, params }: { acts: readonly Act[]; params: Record<string, string> }) {
  const [open, setOpen] = useState<Act | null>(null);
  if (acts.length === 0) return null;
  return (
    <>
      <div className={styles.acts}>
        {acts.map((act) =>
          act.kind === 'file' ? (
            <Button
              key={act.route}
              component="a"
              variant="default"
              size="compact-sm"
              href={fileAddress(act.route, { params })}
              download
            >
              {act.label}
            </Button>
          ) : (
            <Button
              key={act.route}
              variant={open === act ? 'light' : 'default'}
              size="compact-sm"
              aria-expanded={open === act}
              onClick={() => setOpen(open === act ? null : act)}
            >
              {act.label}
            </Button>
          ),
        )}
      </div>
      {open !== null && <OpenAct key={open.route} act={open} params={params} />}
    </>
  );
}

function OpenAct({ act, params }: { act: Act; params: Record<string, string> }) {
  if (act.kind === 'show') return <Shown route={act.route} params={params} />;
  if (isTable(act.route)) return <FileForm act={act} params={params} />;
  return <RouteForm route={act.route} label={act.label} params={params} warning={act.warning} />;
}

/** A table that needs choices first: the form makes its address. */
function isTable(key: RouteKey): boolean {
  return key.startsWith('GET ') && /\.tsv$|\/download$/.test(key);
}

function FileForm({ act, params }: { act: Act; params: Record<string, string> }) {
  const { method, path } = pathOf(act.route);
  const fields = fieldsOf(routeRow(method, path)?.query);
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  return (
    <div className={styles.form}>
      <SchemaForm fields={fields} values={values} onChange={setValues} />
      <div>
        <Button component="a" href={fileAddress(act.route, { params, query: given(values) })} download>
          Download
        </Button>
      </div>
    </div>
  );
}

const given = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));

function Shown({ route: key, params }: { route: RouteKey; params: Record<string, string> }) {
  const reply = useQuery({
    queryKey: ['rows', key, params],
    queryFn: () => callRoute(key, { params }).then((value) => ({ value })),
  });
  return <Loaded query={reply}>{({ value }) => <ValueView value={value} />}</Loaded>;
}

function Rows({ resource, list, params }: ViewProps & { list: RouteKey }) {
  const reply = useQuery({
    queryKey: ['rows', list, params],
    queryFn: () => callRoute(list, { params }).then((value) => rowsIn(value, resource.within)),
  });
  return (
    <Loaded query={reply}>
      {(rows) =>
        rows.length === 0 ? (
          <p>None is there yet.</p>
        ) : (
          <RowTable resource={resource} rows={rows} params={params} />
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

function RowTable({ resource, rows, params }: ViewProps & { rows: readonly Row[] }) {
  const { columns = [], rowActs = [], children = [] } = resource;
  const [open, setOpen] = useState<Row | null>(null);
  const hasMore = rowActs.length + children.length > 0;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label={resource.title}>
        <table className={table.table}>
          <thead>
            <tr>
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
              <tr key={String(row.id ?? row.accession)}>
                {columns.map((column) => (
                  <td key={column} data-label={labelOf(column)}>
                    <ValueView value={row[column]} />
                  </td>
                ))}
                {hasMore && (
                  <td data-label="More">
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-expanded={open === row}
                      onClick={() => setOpen(open === row ? null : row)}
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
      {open !== null && <OpenRow resource={resource} row={open} params={params} />}
    </>
  );
}

/** What can be done with one row, and its own lists. */
function OpenRow({ resource, row, params }: ViewProps & { row: Row }) {
  const mayCall = useMayCall();
  const [name, field] = resource.param ?? ['id', 'id'];
  const id = String(row[field]);
  // Some routes call the same id by another name.
  const own = { ...params, [name]: id, user_id: id, ...(params.id === undefined ? { id } : {}) };
  return (
    <section className={styles.body} aria-label={`Chosen: ${String(row[resource.columns?.[0] ?? field])}`}>
      <h2>{String(row[resource.columns?.[0] ?? field])}</h2>
      <ActBar acts={(resource.rowActs ?? []).filter((act) => mayCall(act.route))} params={own} />
      {resource.children?.map((child) => (
        <div key={child.key} className={styles.body}>
          <h3>{child.title}</h3>
          <ResourceView resource={child} params={own} />
        </div>
      ))}
    </section>
  );
}

/** The form of any operation. */
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
            route="POST /jobs"
            label="Queue it"
            params={{}}
            warning={undefined}
            operation={chosen.name}
          />
        </>
      )}
    </>
  );
}
