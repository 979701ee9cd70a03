import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type EvaluationSet,
  type Experiment,
  getEvaluationSet,
  getExperiment,
} from '../../app/api/laboratory.js';
import { cafaAspectName, categoryName } from '../../shared/cafa.js';
import { formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import {
  comparedIn,
  configRows,
  type Evaluation,
  evaluationSetsOf,
  type FactRow,
  factRow,
  figureGroups,
  newestEvaluation,
} from './experiment-comparison.js';
import styles from './comparison.module.css';
import { usePartSearch } from './use-part.js';

/** Shows the experiments that the address names, side by side. */
export function ExperimentComparison() {
  const {
    search: { compare },
    change,
  } = usePartSearch();
  const ids = comparedIn(compare);
  const replies = useQueries({
    queries: ids.map((id) => ({ queryKey: ['rows', 'experiment', id], queryFn: () => getExperiment(id) })),
  });
  if (ids.length === 0) return null;
  const close = () => change({ compare: undefined }, { keepsHistory: true });
  const found = replies.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const refusal = replies.find(({ error }) => error !== null);
  const isComplete = replies.every(({ isPending }) => !isPending);
  return (
    <Panel title="Side by side">
      <div className={styles.parts}>
        <div>
          <Button variant="default" size="compact-sm" onClick={close}>
            Close the comparison
          </Button>
        </div>
        {refusal !== undefined && <ProblemNote error={refusal.error} title="Not all of them can be shown" />}
        {isComplete ? (
          <Experiments all={found} />
        ) : (
          <Loaded query={{ data: undefined, error: null }}>{() => null}</Loaded>
        )}
      </div>
    </Panel>
  );
}

function Experiments({ all }: { all: readonly Experiment[] }) {
  const evaluations = all.map(newestEvaluation);
  const sets = useSetNames(evaluationSetsOf(evaluations));
  if (all.length === 0) return null;
  const texts = (field: 'hypothesis' | 'findings') => all.map((one) => one[field] ?? undefined);
  const config = configRows(all.map((one) => one.config));
  return (
    <>
      {sets.length === 1 && <p>The figures are of the evaluation set {sets[0]?.name}.</p>}
      {sets.length > 1 && (
        <p>
          The figures are of {sets.length} evaluation sets, so they <strong>can’t be compared</strong>: none
          is marked as the best.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label="Experiments side by side">
        <table className={`${table.table} ${styles.sideBySide}`}>
          <thead>
            <tr>
              <td />
              {all.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <Group title="Written down" width={all.length}>
            <Facts
              row={factRow(
                'Status',
                all.map(({ status }) => status),
              )}
              of={all}
            />
            <Facts row={factRow('Hypothesis', texts('hypothesis'))} of={all} />
            <Facts row={factRow('Findings', texts('findings'))} of={all} />
            <Facts
              row={factRow(
                'Tags',
                all.map(({ tags }) => tags),
              )}
              of={all}
            />
          </Group>
          {config.length > 0 && (
            <Group title="Configuration" width={all.length}>
              {config.map((row) => (
                <Facts key={row.key} row={row} of={all} isMarked />
              ))}
            </Group>
          )}
          <Figures evaluations={evaluations} of={all} sets={sets} />
        </table>
      </section>
    </>
  );
}

/** Returns the names of sets; the id of a set without a name. */
function useSetNames(ids: readonly string[]): { id: string; name: string }[] {
  const replies = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['rows', 'evaluation set', id],
      queryFn: () => getEvaluationSet(id),
    })),
  });
  return ids.map((id, at) => ({ id, name: setName(replies[at]?.data) ?? id }));
}

const setName = (set: EvaluationSet | undefined) =>
  set && `${set.old_annotation_set_label} to ${set.new_annotation_set_label}`;

interface FiguresProps {
  evaluations: readonly (Evaluation | null)[];
  of: readonly Experiment[];
  sets: readonly { id: string; name: string }[];
}

function Figures({ evaluations, of, sets }: FiguresProps) {
  const nameOf = (one: Evaluation | null) => sets.find(({ id }) => id === one?.evaluation_set_id)?.name;
  const times = evaluations.map((one) => (one === null ? undefined : formatTime(one.created_at)));
  if (sets.length === 0)
    return (
      <Group title="Newest evaluation" width={of.length}>
        <tr>
          <td colSpan={of.length + 1}>None of them has a result of an evaluation.</td>
        </tr>
      </Group>
    );
  return (
    <>
      <Group title="Newest evaluation" width={of.length}>
        {sets.length > 1 && (
          <Facts row={factRow('Evaluation set', evaluations.map(nameOf))} of={of} isMarked />
        )}
        <Facts row={factRow('Evaluated', times)} of={of} />
      </Group>
      {figureGroups(evaluations).map(({ category, aspect, rows }) => (
        <Group
          key={`${category} ${aspect}`}
          title={`${categoryName(category)}, ${cafaAspectName(aspect).toLowerCase()}`}
          width={of.length}
        >
          {rows.map(({ label, cells }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {cells.map(({ text, isBest }, at) => (
                <td key={of[at]?.id} data-label={of[at]?.name}>
                  <span>{isBest ? <Best>{text}</Best> : (text ?? <None />)}</span>
                </td>
              ))}
            </tr>
          ))}
        </Group>
      ))}
    </>
  );
}

function Best({ children }: { children: ReactNode }) {
  return (
    <>
      <strong>{children}</strong> <span className={styles.tag}>best</span>
    </>
  );
}

const None = () => <span className={table.muted}>none</span>;

function Group({ title, width, children }: { title: string; width: number; children: ReactNode }) {
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={width + 1} className={styles.group}>
          {title}
        </th>
      </tr>
      {children}
    </tbody>
  );
}

interface FactsProps {
  row: FactRow;
  of: readonly Experiment[];
  /** Whether a difference is worth a mark. */
  isMarked?: boolean;
}

function Facts({ row: { label, cells, differs }, of, isMarked }: FactsProps) {
  return (
    <tr>
      <th scope="row">
        {label} {isMarked === true && differs && <span className={styles.tag}>differs</span>}
      </th>
      {cells.map((text, at) => (
        <td key={of[at]?.id} data-label={of[at]?.name}>
          <span className={styles.words}>{text === null || text === '' ? <None /> : text}</span>
        </td>
      ))}
    </tr>
  );
}
