import { Button, NativeSelect } from '@mantine/core';
import {
  drawnRows,
  isDifferent,
  matrixNotes,
  matrixPicture,
  matrixTable,
  proteomeNames,
} from '@kindred/contracts/proteome-matrix-words';
import { tableText } from '@kindred/kernels/formats';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { getProteomeMatrix, type ProteomeMatrix } from '../../app/api/predictions.js';
import { aspectNames, aspectOrder, isAspect } from '../../shared/aspect.js';
import { formatCount } from '../../shared/format.js';
import { DownloadIcon } from '../../shared/icons.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { saveFile } from '../../shared/save-file.js';
import table from '../../shared/table.module.css';
import { TermLink } from '../../shared/term-link.js';
import styles from './compare-panel.module.css';
import { pngOfText, svgAddress } from './picture-file.js';
import { SlimSelect } from './slim-select.js';

const route = getRouteApi('/results');
/** The maximum number of rows of the table on the page; the file has more. */
const shownRows = 200;

/** Shows the functions of several proteomes side by side. */
export function ProteomeMatrixPage({ ids }: { ids: readonly string[] }) {
  const { slim, aspect } = route.useSearch();
  const navigate = route.useNavigate();
  const matrix = useQuery({
    queryKey: ['proteome-matrix', ids.join(' '), slim, aspect],
    queryFn: ({ signal }) => getProteomeMatrix(ids, { slim, aspect }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const choose = (choice: { slim?: string; aspect?: typeof aspect }) =>
    void navigate({ search: (before) => ({ ...before, ...choice }), resetScroll: false });
  return (
    <Page
      title="Proteomes side by side"
      lead="How many proteins of each run have each term or one below it, known or predicted, and which shares differ."
      actions={
        <Link to="/results" search={{}}>
          All runs
        </Link>
      }
    >
      <div className={styles.groups}>
        <SlimSelect slim={slim} onSlim={(chosen) => choose({ slim: chosen })} />
        <NativeSelect
          aria-label="Aspect"
          value={aspect ?? ''}
          data={[
            { value: '', label: 'All aspects' },
            ...aspectOrder.map((value) => ({ value, label: aspectNames[value] })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            choose({ aspect: isAspect(value) ? value : undefined });
          }}
        />
      </div>
      <Loaded query={matrix}>{(found) => <Matrix matrix={found} />}</Loaded>
    </Page>
  );
}

function Matrix({ matrix }: { matrix: ProteomeMatrix }) {
  const notes = matrixNotes(matrix);
  if (matrix.rows.length === 0) return <p>No protein of these runs has such a term.</p>;
  return (
    <>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Picture matrix={matrix} />
      <Counts matrix={matrix} />
    </>
  );
}

function Picture({ matrix }: { matrix: ProteomeMatrix }) {
  const text = useMemo(() => matrixPicture(matrix, drawnRows), [matrix]);
  const [fault, setFault] = useState(false);
  const save = async (kind: 'svg' | 'png') => {
    try {
      const svg = new Blob([text], { type: 'image/svg+xml' });
      saveFile(`proteomes.${kind}`, kind === 'svg' ? svg : await pngOfText(text));
    } catch {
      setFault(true);
    }
  };
  const rest = matrix.row_count - drawnRows;
  return (
    <Panel title="Heat map">
      <div className={styles.top}>
        <p>
          {rest > 0
            ? `The ${drawnRows} terms that differ most surely, of ${formatCount(matrix.row_count)}, in clusters of alike ones.`
            : 'All terms, in clusters of alike ones.'}
        </p>
        <div>
          {(['svg', 'png'] as const).map((kind) => (
            <Button
              key={kind}
              variant="default"
              size="compact-sm"
              leftSection={<DownloadIcon />}
              onClick={() => void save(kind)}
            >
              Save as {kind.toUpperCase()}
            </Button>
          ))}
        </div>
      </div>
      {fault && <p role="alert">This browser could not draw the file. Save the picture as SVG instead.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <section className={table.scroll} tabIndex={0} aria-label="Heat map">
        <img
          src={svgAddress(text)}
          alt="The shares of the table below as colours, with trees of alike rows and columns"
        />
      </section>
    </Panel>
  );
}

function Counts({ matrix }: { matrix: ProteomeMatrix }) {
  const names = proteomeNames(matrix);
  const save = () => {
    const { columns, rows } = matrixTable(matrix);
    const text = tableText(columns, rows);
    saveFile('proteomes.tsv', new Blob([text], { type: 'text/tab-separated-values' }));
  };
  return (
    <Panel title="Counts and shares">
      <div className={styles.top}>
        <p>
          {matrix.rows.length > shownRows
            ? `The first ${shownRows} of ${formatCount(matrix.rows.length)} terms; the file has all of these.`
            : 'The terms that differ most surely come first.'}
        </p>
        <Button variant="default" size="compact-sm" leftSection={<DownloadIcon />} onClick={save}>
          Save as TSV
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <section className={table.scroll} tabIndex={0} aria-label="Counts and shares">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col" className={table.number}>
                False discovery rate
              </th>
              {matrix.proteomes.map(({ prediction_set_id, proteins }, at) => (
                <th key={prediction_set_id} scope="col" className={table.number}>
                  <Link to="/results/$setId" params={{ setId: prediction_set_id }} search={{}}>
                    {names[at]}
                  </Link>
                  <br />
                  {formatCount(proteins)} proteins
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.rows.slice(0, shownRows).map((row) => (
              <tr key={row.go_id}>
                <td data-label="Term">
                  <TermLink goId={row.go_id} name={row.go_name} />
                </td>
                <td data-label="False discovery rate" className={table.number}>
                  {row.false_discovery_rate?.toPrecision(2) ?? 'not tested'}
                  {isDifferent(row) && ' *'}
                </td>
                {row.counts.map((count, at) => (
                  <td key={names[at]} data-label={names[at]} className={table.number}>
                    {formatCount(count)}{' '}
                    <span className={table.muted}>{(100 * (row.shares[at] ?? 0)).toFixed(1)} %</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
