import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getQuerySetNames, listPredictionSets, type PredictionSet } from '../../app/api/predictions.js';
import { formatCount, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { Page } from '../../shared/page.js';
import table from '../../shared/table.module.css';

/** Kept prediction sets, newest first. */
export function ResultListPage() {
  const sets = useInfiniteQuery({
    queryKey: ['prediction-sets'],
    queryFn: ({ pageParam }) => listPredictionSets(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    // A result that was just kept is looked for here.
    staleTime: 0,
  });
  const names = useQuery({ queryKey: ['query-set-names'], queryFn: getQuerySetNames, staleTime: 0 });
  return (
    <Page
      title="Results"
      lead="Prediction sets that were kept: your own, and those that their owners made public. Anyone who has the link of a result can read it."
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
          return <SetTable rows={rows} names={names.data} />;
        }}
      </Loaded>
      <MoreButton query={sets} />
    </Page>
  );
}

interface TableProps {
  rows: PredictionSet[];
  /** Of query sets, by id. */
  names: ReadonlyMap<string, string> | undefined;
}

function SetTable({ rows, names }: TableProps) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Made</th>
            <th scope="col">Name</th>
            <th scope="col" className={table.number}>
              Proteins
            </th>
            <th scope="col" className={table.number}>
              Predictions
            </th>
            <th scope="col">Annotations</th>
            <th scope="col">Ontology</th>
            <th scope="col">Vectors</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((set) => (
            <tr key={set.id}>
              <td data-label="Made" className={table.nowrap}>
                <Link
                  to="/results/$setId"
                  params={{ setId: set.id }}
                  search={{ protein: undefined, aspect: undefined }}
                >
                  {formatTime(set.created_at)}
                </Link>
              </td>
              <td data-label="Name">{names?.get(set.query_set_id ?? '') ?? ''}</td>
              <td data-label="Proteins" className={table.number}>
                {formatCount(set.protein_count)}
              </td>
              <td data-label="Predictions" className={table.number}>
                {formatCount(set.prediction_count)}
              </td>
              <td data-label="Annotations">{set.annotation_set_label}</td>
              <td data-label="Ontology">{set.ontology_snapshot_version}</td>
              <td data-label="Vectors">{set.embedding_config_name}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
