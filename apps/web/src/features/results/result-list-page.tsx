import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listPredictionSets, type PredictionSet } from '../../app/api/predictions.js';
import { formatAgo, formatCount, formatDay, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { Page } from '../../shared/page.js';
import { runName } from '../../shared/run-name.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';

/** Lists the kept prediction sets, newest first. */
export function ResultListPage() {
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
      title="Results"
      lead="Your runs, and those that their owners listed for everyone. Whoever has the link of a result can read it."
    >
      <Loaded query={sets}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          if (rows.length === 0) {
            return (
              <p>
                No result to show. With an account, your results are kept here.{' '}
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
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
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
  );
}
