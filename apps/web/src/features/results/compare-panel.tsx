import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { listPredictionSets, type PredictionSetDetail } from '../../app/api/predictions.js';
import { formatCount, plural } from '../../shared/format.js';
import { DownloadIcon } from '../../shared/icons.js';
import { Loaded } from '../../shared/loading.js';
import { runName } from '../../shared/run-name.js';
import { saveFile } from '../../shared/save-file.js';
import table from '../../shared/table.module.css';
import styles from './compare-panel.module.css';
import type { OverviewTable } from './overview-model.js';
import {
  type Change,
  type ChangeGroup,
  changeGroups,
  changeWords,
  compareRuns,
  comparisonTable,
  type Comparison,
  type Difference,
  wordOf,
} from './run-differences.js';
import { useOverview, usePredictionSet } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  table: OverviewTable;
  other: string | undefined;
  onOther: (id: string | undefined) => void;
}

/** The maximum number of proteins on the page; the file has all. */
const shownProteins = 500;
/** The number of terms of a group that a line shows at once. */
const shownTerms = 4;

/** Compares the run with another one: what the proteins of both gained and lost in it, grouped by the kind of change. */
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
  const name = set.data === undefined ? 'the other run' : `“${runName(set.data)}”`;
  return (
    <Loaded query={{ data: overview.data, error: set.error ?? overview.error }}>
      {(found) => <Compared setId={setId} own={own} other={found} name={name} />}
    </Loaded>
  );
}

function Compared(props: { setId: string; own: OverviewTable; other: OverviewTable; name: string }) {
  const { setId, own, other, name } = props;
  const found = useMemo(() => compareRuns(own.rows, other.rows), [own, other]);
  const nameOf = (goId: string) => other.terms[goId]?.name ?? own.terms[goId]?.name ?? goId;
  if (found.shared === 0)
    return (
      <p>
        No protein in common: this run has {plural(own.rows.length, 'protein')}, {name} has{' '}
        {plural(other.rows.length, 'protein')} with other names. Runs are compared by the names of their
        proteins, so choose a run of the same sequences.
      </p>
    );
  const save = () =>
    saveFile(
      'comparison.tsv',
      new Blob([comparisonTable(found, nameOf)], { type: 'text/tab-separated-values' }),
    );
  const { shared, differences, onlyHere, onlyThere } = found;
  return (
    <>
      <div className={styles.top}>
        <p>
          {plural(shared, 'protein')} in common with {name}:{' '}
          {differences.length === 0
            ? 'all have the same answer.'
            : `${formatCount(shared - differences.length)} with the same answer, ${formatCount(differences.length)} with another.`}
        </p>
        <Button variant="default" size="compact-sm" leftSection={<DownloadIcon />} onClick={save}>
          Save as TSV
        </Button>
      </div>
      {differences.length > 0 && <Changes setId={setId} differences={differences} nameOf={nameOf} />}
      <OneRunAlone title="Only in this run" accessions={onlyHere} />
      <OneRunAlone title={`Only in ${name}`} accessions={onlyThere} />
    </>
  );
}

function OneRunAlone({ title, accessions }: { title: string; accessions: readonly string[] }) {
  if (accessions.length === 0) return null;
  const rest = accessions.length - shownProteins;
  return (
    <details>
      <summary>
        {title}: {plural(accessions.length, 'protein')}
      </summary>
      <p className={styles.protein}>
        {accessions.slice(0, shownProteins).join(', ')}
        {rest > 0 && ` and ${formatCount(rest)} more`}
      </p>
    </details>
  );
}

interface ChangesProps {
  setId: string;
  differences: Comparison['differences'];
  nameOf: (goId: string) => string;
}

/** Shows what changed, all of it or one group. */
function Changes({ setId, differences, nameOf }: ChangesProps) {
  const [chosen, choose] = useState<ChangeGroup | null>(null);
  const groups = chosen === null ? changeGroups : [chosen];
  const has = ({ changes }: Difference) => changes.some(({ group }) => groups.includes(group));
  const rows = differences.filter(has);
  return (
    <>
      <fieldset className={styles.groups}>
        <legend>Show</legend>
        {changeGroups.map((group) => {
          const count = differences.reduce((sum, { changes }) => sum + of(group, changes).length, 0);
          return (
            <button
              key={group}
              type="button"
              aria-pressed={chosen === group}
              disabled={count === 0}
              onClick={() => choose(chosen === group ? null : group)}
            >
              {changeWords[group]} {formatCount(count)}
            </button>
          );
        })}
      </fieldset>
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Protein</th>
              {groups.map((group) => (
                <th key={group} scope="col">
                  {changeWords[group]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownProteins).map(({ accession, changes }) => (
              <tr key={accession}>
                <td data-label="Protein" className={styles.protein}>
                  <Link
                    to="/results/$setId"
                    params={{ setId }}
                    search={(before) => ({ ...before, protein: accession })}
                  >
                    {accession}
                  </Link>
                </td>
                {groups.map((group) => (
                  <td key={group} data-label={changeWords[group]}>
                    <ChangedTerms changes={of(group, changes)} nameOf={nameOf} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shownProteins && (
        <p>
          The first {shownProteins} of {formatCount(rows.length)} proteins are shown; the file has all.
        </p>
      )}
    </>
  );
}

const of = (group: ChangeGroup, changes: readonly Change[]) => changes.filter((one) => one.group === group);

function ChangedTerms({ changes, nameOf }: { changes: readonly Change[]; nameOf: (goId: string) => string }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? changes : changes.slice(0, shownTerms);
  return (
    <>
      <ul className={styles.terms}>
        {shown.map(({ goId, from, to }) => (
          <li key={goId}>
            {nameOf(goId)}
            <span className={table.muted}>
              {' '}
              {from === null || to === null ? wordOf(to ?? from) : `${wordOf(from)} → ${wordOf(to)}`}
            </span>
          </li>
        ))}
      </ul>
      {shown.length < changes.length && (
        <button type="button" className={table.textButton} onClick={() => setIsWhole(true)}>
          {formatCount(changes.length - shown.length)} more
        </button>
      )}
    </>
  );
}
