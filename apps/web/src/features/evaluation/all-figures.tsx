import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type EvaluationResult, getEvaluationResult } from '../../app/api/laboratory.js';
import type { CafaAspect, Category, MethodFigures } from '../../app/api/showcase.js';
import { cafaAspectName } from '../../shared/cafa.js';
import { formatCount, percent } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';

interface Props {
  setId: string;
  category: Category;
  rows: readonly MethodFigures[];
}

/** One method in one aspect, with the result that has its figures. */
interface Line {
  label: string;
  aspect: CafaAspect;
  resultId: string;
}

/**
 * Shows all figures of a category with their intervals, each with links to its frame and its files. They are fetched when the part is
 * opened.
 */
export function AllFigures({ setId, category, rows }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All figures with intervals, frame and files</summary>
      {open && <Figures setId={setId} category={category} lines={linesOf(rows)} />}
    </details>
  );
}

function linesOf(rows: readonly MethodFigures[]): Line[] {
  return (['BPO', 'MFO', 'CCO'] as const).flatMap((aspect) =>
    rows.flatMap(({ label, figures }) => {
      const resultId = figures[aspect]?.evaluation_result_id;
      return resultId === undefined ? [] : [{ label, aspect, resultId }];
    }),
  );
}

const columns = ['Proteins', 'Fmax', 'Weighted Fmax', 'Smin', 'Coverage'] as const;

function Figures({ setId, category, lines }: { setId: string; category: Category; lines: readonly Line[] }) {
  const ids = [...new Set(lines.map(({ resultId }) => resultId))];
  const replies = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['evaluation-result', setId, id],
      queryFn: () => getEvaluationResult(setId, id),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const fault = replies.find(({ error }) => error !== null)?.error;
  if (fault != null) return <ProblemNote error={fault} />;
  const results = new Map(ids.map((id, at) => [id, replies[at]?.data]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
    <section className={table.scroll} tabIndex={0} aria-label={`All figures, ${category}`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Aspect</th>
            {columns.map((column) => (
              <th key={column} scope="col" className={table.number}>
                {column}
              </th>
            ))}
            <th scope="col">Where from</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.label} ${line.aspect}`}>
              <td data-label="Method">{line.label}</td>
              <td data-label="Aspect">{cafaAspectName(line.aspect)}</td>
              {wordsOf(results.get(line.resultId), category, line.aspect).map((words, at) => (
                <td key={columns[at]} data-label={columns[at]} className={table.number}>
                  {words}
                </td>
              ))}
              <td data-label="Where from">
                <Link
                  to="/evaluate/{-$part}"
                  params={{ part: undefined }}
                  search={{ open: `${setId},${line.resultId}` }}
                >
                  Frame and files
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function wordsOf(result: EvaluationResult | undefined, category: Category, aspect: CafaAspect): string[] {
  if (result === undefined) return columns.map(() => '…');
  const figures = result.results[category]?.[aspect] ?? {};
  const intervals = result.intervals?.[category]?.[aspect] ?? {};
  const withInterval = (key: string) => {
    const value = figures[key];
    const interval = intervals[key];
    if (value === undefined || value === null) return 'none';
    const range =
      interval === undefined ? '' : ` (${interval.low.toFixed(3)} to ${interval.high.toFixed(3)})`;
    return value.toFixed(3) + range;
  };
  const { n_proteins: proteins, coverage } = figures;
  return [
    proteins == null ? 'none' : formatCount(proteins),
    withInterval('fmax'),
    withInterval('fmax_w'),
    withInterval('smin'),
    coverage == null ? 'none' : percent(coverage),
  ];
}
