import type { Matrix } from '../../app/api/laboratory.js';
import { bestValues } from '../../shared/best-value.js';

export type Cell = Matrix['rows'][number];
/** The figures that the grid can show. */
export type GridFigure = 'fmax' | 'fmax_w';

/** The choice of what the grid shows. The address holds it. */
export interface GridChoice {
  /** The evaluation set; the figures of two sets are never side by side. */
  set?: string | undefined;
  stage?: string | undefined;
  /** The number of neighbours; 0 for methods without neighbours. */
  k?: number | undefined;
  weighted?: true | undefined;
}

export interface GridCell {
  /** The value; null if the result has no weighted figure. */
  value: number | null;
  isBest: boolean;
  coverage: number | null;
  proteins: number | null;
}

/** One evaluation result: a model or method, its stage and its number of neighbours. */
export interface GridRow {
  resultId: string;
  embedding: string | null;
  stage: string;
  isBaseline: boolean;
  /** Whether everyone sees the row. */
  isListed: boolean;
  k: number;
  /** How the figures were computed, if the rows differ in that. */
  options: string | null;
  /** The cells in the order of the columns; null if not evaluated. */
  cells: readonly (GridCell | null)[];
}

export interface Grid {
  /** The evaluation set that is shown; null if nothing was evaluated. */
  set: Matrix['evaluation_sets'][number] | null;
  columns: readonly { category: string; aspect: string }[];
  rows: readonly GridRow[];
}

/** Arranges the figures of one evaluation set, by default the newest, in rows, with a column for each category and aspect. */
export function gridOf(matrix: Matrix, choice: GridChoice): Grid {
  const { categories, aspects, stages, evaluation_sets: sets } = matrix;
  const columns = categories.flatMap((category) => aspects.map((aspect) => ({ category, aspect })));
  const set = sets.find(({ id }) => choice.set === undefined || id === choice.set) ?? null;
  const shown = matrix.rows.filter(
    (cell) =>
      cell.evaluation_set_id === set?.id &&
      (choice.stage === undefined || cell.stage === choice.stage) &&
      (choice.k === undefined || cell.k === choice.k),
  );
  const results = new Map<string, Cell[]>();
  for (const cell of shown)
    results.set(cell.evaluation_result_id, [...(results.get(cell.evaluation_result_id) ?? []), cell]);
  const rank = new Map(stages.map(({ name }, at) => [name, at]));
  const ordered = [...results.values()].sort(
    ([a], [b]) =>
      (rank.get(a?.stage ?? '') ?? 0) - (rank.get(b?.stage ?? '') ?? 0) ||
      (a?.embedding_name ?? '').localeCompare(b?.embedding_name ?? '') ||
      (a?.k ?? 0) - (b?.k ?? 0),
  );
  const figure: GridFigure = choice.weighted === true ? 'fmax_w' : 'fmax';
  const cells = columns.map((column) => columnOf(ordered, column, figure));
  const isMixed = new Set(shown.map(optionsOf)).size > 1;
  const rows = ordered.flatMap(([first], at) =>
    first === undefined
      ? []
      : [
          {
            resultId: first.evaluation_result_id,
            embedding: first.embedding_name,
            stage: stages.find(({ name }) => name === first.stage)?.label ?? first.stage,
            isBaseline: stages.some(({ name, is_baseline }) => name === first.stage && is_baseline),
            isListed: first.listed,
            k: first.k,
            options: isMixed ? optionsOf(first) : null,
            cells: cells.map((column) => column[at] ?? null),
          },
        ],
  );
  return { set, columns, rows };
}

function columnOf(
  results: readonly (readonly Cell[])[],
  { category, aspect }: { category: string; aspect: string },
  figure: GridFigure,
): (GridCell | null)[] {
  const found = results.map((cells) =>
    cells.find((cell) => cell.category === category && cell.aspect === aspect),
  );
  const best = bestValues(
    found.map((cell) => cell?.[figure] ?? null),
    'larger',
  );
  return found.map((cell, at) =>
    cell === undefined
      ? null
      : {
          value: cell[figure],
          isBest: best[at] === true,
          coverage: cell.coverage,
          proteins: cell.n_proteins,
        },
  );
}

function optionsOf({ prop, norm, no_orphans, th_step }: Cell): string {
  const roots = no_orphans ? 'without roots' : 'with roots';
  return `propagation ${prop}, norm ${norm}, ${roots}, thresholds every ${th_step}`;
}
