import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { listPredictionSets, type PredictionSetDetail } from '../../app/api/predictions.js';
import { plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { runName } from '../../shared/run-name.js';
import table from '../../shared/table.module.css';
import { differencesOf, type OverviewTable } from './overview-model.js';
import { useOverview, usePredictionSet } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  table: OverviewTable;
  other: string | undefined;
  onOther: (id: string | undefined) => void;
}

const shownProteins = 500;
const uncertain = 'not calibrated';

/** Compares the run with another one: which proteins gained or lost terms in it. */
export function ComparePanel({ set, table: own, other, onOther }: Props) {
  const sets = useInfiniteQuery({
    queryKey: ['prediction-sets'],
    queryFn: ({ pageParam }) => listPredictionSets(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const choices = sets.data?.pages.flatMap((page) => page.rows).filter(({ id }) => id !== set.id) ?? [];
  return (
    <>
      <NativeSelect
        label="Compare with the run"
        maw={420}
        my={12}
        value={other ?? ''}
        data={[
          { value: '', label: choices.length === 0 ? 'No other run to show' : 'Choose a run' },
          ...choices.map((choice) => ({ value: choice.id, label: runName(choice) })),
          ...(other !== undefined && !choices.some(({ id }) => id === other)
            ? [{ value: other, label: 'The run of this link' }]
            : []),
        ]}
        onChange={(event) => onOther(event.currentTarget.value || undefined)}
      />
      {other !== undefined && <Differences setId={set.id} own={own} other={other} />}
    </>
  );
}

function Differences({ setId, own, other }: { setId: string; own: OverviewTable; other: string }) {
  const set = usePredictionSet(other);
  const overview = useOverview(set.data);
  const name = set.data === undefined ? 'the other run' : runName(set.data);
  return (
    <Loaded query={{ data: overview.data, error: set.error ?? overview.error }}>
      {(found) => <DifferenceTable setId={setId} own={own} other={found} name={name} />}
    </Loaded>
  );
}

function DifferenceTable(props: { setId: string; own: OverviewTable; other: OverviewTable; name: string }) {
  const { setId, own, other, name } = props;
  const rows = useMemo(() => differencesOf(own.rows, other.rows), [own, other]);
  const nameOf = (goId: string) => other.terms[goId]?.name ?? own.terms[goId]?.name ?? goId;
  if (rows.length === 0) return <p>Both runs have the same answers.</p>;
  return (
    <>
      <p>
        In “{name}”, {plural(rows.length, 'protein has', 'proteins have')} another answer:{' '}
        {plural(sum(rows.map((row) => row.gained.length)), 'term')} gained,{' '}
        {plural(sum(rows.map((row) => row.lost.length)), 'term')} lost,{' '}
        {plural(sum(rows.map((row) => row.changed.length)), 'term')} with another certainty.
      </p>
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Protein</th>
              <th scope="col">Gained there</th>
              <th scope="col">Lost there</th>
              <th scope="col">Changed there</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownProteins).map((row) => (
              <tr key={row.accession}>
                <td data-label="Protein" className={table.breaking}>
                  <Link
                    to="/results/$setId"
                    params={{ setId }}
                    search={(before) => ({ ...before, protein: row.accession })}
                  >
                    {row.accession}
                  </Link>
                </td>
                <td data-label="Gained there">{row.gained.map(nameOf).join(', ')}</td>
                <td data-label="Lost there">{row.lost.map(nameOf).join(', ')}</td>
                <td data-label="Changed there">
                  {row.changed
                    .map(({ goId, from, to }) => `${nameOf(goId)}: ${from ?? uncertain} → ${to ?? uncertain}`)
                    .join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shownProteins && <p>The first {shownProteins} of them are shown.</p>}
    </>
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
