import { Button, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { listPredictionSets, type PredictionSet } from '../../app/api/predictions.js';
import { formatAgo, formatCount, formatDay, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { Page } from '../../shared/page.js';
import { runName } from '../../shared/run-name.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';

const route = getRouteApi('/results');
const ProteomeMatrixPage = lazy(async () => ({
  default: (await import('./result-page.js')).ProteomeMatrixPage,
}));

/** Lists the kept prediction sets, newest first, or shows those that the address names side by side. */
export function ResultListPage() {
  const ids = route.useSearch().runs?.split(',') ?? [];
  if (ids.length < 2) return <ResultList />;
  return (
    <Suspense fallback={<Loaded query={{ data: undefined, error: null }}>{() => null}</Loaded>}>
      <ProteomeMatrixPage ids={ids} />
    </Suspense>
  );
}

function ResultList() {
  const sets = useInfiniteQuery({
    queryKey: ['prediction-sets'],
    queryFn: ({ pageParam }) => listPredictionSets(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    // The list is always fetched again, because visitors look here for a result that they have just kept.
    staleTime: 0,
  });
  return (
    <Page
      title="Runs"
      lead={
        <>
          Your runs, and those that their owners listed for everyone. Whoever has the link of a run can read
          it. What still works or has failed is in the list of <Link to="/operation/{-$part}">jobs</Link>.
        </>
      }
    >
      <Loaded query={sets}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          if (rows.length === 0) {
            return (
              <p>
                No run to show. With an account, your runs are kept here.{' '}
                <Link to="/">Annotate some proteins</Link>.
              </p>
            );
          }
          return <SetTable rows={rows} />;
        }}
      </Loaded>
      <MoreButton query={sets} />
    </Page>
  );
}

function SetTable({ rows }: { rows: PredictionSet[] }) {
  const now = useNow(60_000);
  const navigate = route.useNavigate();
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const turn = (id: string) =>
    setTicked(ticked.includes(id) ? ticked.filter((other) => other !== id) : [...ticked, id]);
  return (
    <>
      {rows.length > 1 && (
        <p>
          <Button
            size="compact-sm"
            disabled={ticked.length < 2}
            onClick={() => void navigate({ search: { runs: ticked.join(',') } })}
          >
            {ticked.length < 2 ? 'Side by side' : `${ticked.length} side by side`}
          </Button>{' '}
          <span className={table.muted}>
            Tick two runs or more, each of a proteome, to see their functions side by side.
          </span>
        </p>
      )}
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">
                <VisuallyHidden>Side by side</VisuallyHidden>
              </th>
              <th scope="col">Name</th>
              <th scope="col">Made</th>
              <th scope="col" className={table.number}>
                Proteins
              </th>
              <th scope="col" className={table.number}>
                Predictions
              </th>
              <th scope="col">Annotations</th>
              <th scope="col">Ontology</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((set) => (
              <tr key={set.id}>
                <td data-label="Side by side">
                  <input
                    type="checkbox"
                    aria-label={`Put ${runName(set)} side by side`}
                    checked={ticked.includes(set.id)}
                    disabled={set.status === 'filling'}
                    onChange={() => turn(set.id)}
                  />
                </td>
                <td data-label="Name" className={table.breaking}>
                  <Link to="/results/$setId" params={{ setId: set.id }} search={{}}>
                    {runName(set)}
                  </Link>
                </td>
                <td data-label="Made" className={table.nowrap} title={formatTime(set.created_at)}>
                  {formatAgo(set.created_at, now)}
                </td>
                <td data-label="Proteins" className={table.number}>
                  {formatCount(set.protein_count)}
                </td>
                <td data-label="Predictions" className={table.number}>
                  {formatCount(set.prediction_count)}
                </td>
                <td data-label="Annotations">{set.annotation_set_label}</td>
                <td data-label="Ontology">{formatDay(set.ontology_snapshot_version)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
