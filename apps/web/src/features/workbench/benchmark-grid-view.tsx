import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getMatrix, type Matrix } from '../../app/api/laboratory.js';
import { cafaAspectName, categoryName } from '../../shared/cafa.js';
import { formatReal, percent, plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import table from '../../shared/table.module.css';
import { type Grid, type GridCell, type GridChoice, gridOf, type GridRow } from './benchmark-grid.js';
import styles from './comparison.module.css';
import { usePartSearch } from './use-part.js';

/** Shows the figures of every model and method in one evaluation set; the address holds the choice. */
export function BenchmarkGrid() {
  const { search, change } = usePartSearch();
  const matrix = useQuery({
    queryKey: ['rows', 'benchmark', search.set],
    queryFn: () => getMatrix(search.set),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={matrix}>
      {(reply) =>
        reply.evaluation_sets.length === 0 ? (
          <NothingYet />
        ) : (
          <Shown matrix={reply} choice={search} onChange={change} />
        )
      }
    </Loaded>
  );
}

function NothingYet() {
  return (
    <p>
      Nothing has been evaluated yet. Make an evaluation set under{' '}
      <Link to="/evaluate/{-$part}" params={{ part: undefined }}>
        Evaluation sets
      </Link>
      , predict for its proteins, and evaluate that run there. Runs that are listed for everyone appear here;
      others only for their owner and operators.
    </p>
  );
}

interface ShownProps {
  matrix: Matrix;
  choice: GridChoice;
  onChange: (part: GridChoice) => void;
}

function Shown({ matrix, choice, onChange }: ShownProps) {
  const grid = gridOf(matrix, choice);
  return (
    <>
      <Filters matrix={matrix} choice={{ ...choice, set: grid.set?.id }} onChange={onChange} />
      {grid.rows.length === 0 ? (
        <p>No result fits these filters.</p>
      ) : (
        <GridTable grid={grid} figure={choice.weighted === true ? 'Weighted Fmax' : 'Fmax'} />
      )}
    </>
  );
}

const any = { value: '', label: 'All' };

function Filters({ matrix, choice, onChange }: ShownProps) {
  const { evaluation_sets: sets, stages, ks } = matrix;
  return (
    <div className={styles.filters}>
      <NativeSelect
        label="Evaluation set"
        value={choice.set ?? ''}
        data={[
          ...(choice.set === undefined ? [{ value: '', label: 'Choose' }] : []),
          ...sets.map(({ id, label }) => ({ value: id, label })),
        ]}
        onChange={(event) => onChange({ set: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label="Stage"
        value={choice.stage ?? ''}
        data={[any, ...stages.map(({ name, label }) => ({ value: name, label }))]}
        onChange={(event) => onChange({ stage: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label="Neighbours"
        value={choice.k ?? ''}
        data={[any, ...ks.map((k) => ({ value: String(k), label: neighbours(k) }))]}
        onChange={({ currentTarget: { value } }) => onChange({ k: value === '' ? undefined : Number(value) })}
      />
      <NativeSelect
        label="Figure"
        value={choice.weighted === true ? 'fmax_w' : 'fmax'}
        data={[
          { value: 'fmax', label: 'Fmax' },
          { value: 'fmax_w', label: 'Weighted Fmax' },
        ]}
        onChange={(event) => onChange({ weighted: event.currentTarget.value === 'fmax_w' || undefined })}
      />
    </div>
  );
}

const neighbours = (k: number) => (k === 0 ? 'without neighbours' : plural(k, 'neighbour'));

function GridTable({ grid: { set, columns, rows }, figure }: { grid: Grid; figure: string }) {
  const hasOptions = rows.some(({ options }) => options !== null);
  return (
    <>
      <p className={table.muted}>
        {figure}: 0 is nothing right, 1 is everything. Best is the largest of a column, of the rows shown.
        {hasOptions && ' The rows were computed with different options, so compare them with care.'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label={`${figure} side by side`}>
        <table className={`${table.table} ${styles.grid}`}>
          <thead>
            <tr>
              <th scope="col" rowSpan={2} className={styles.method}>
                Model or method
              </th>
              {[...new Set(columns.map(({ category }) => category))].map((category) => (
                <th
                  key={category}
                  scope="colgroup"
                  colSpan={columns.filter((column) => column.category === category).length}
                >
                  {categoryName(category)}
                </th>
              ))}
            </tr>
            <tr>
              {columns.map(({ category, aspect }) => (
                <th key={`${category} ${aspect}`} scope="col" className={table.number}>
                  {shortAspect(aspect)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.resultId}>
                <MethodHead row={row} setId={set?.id ?? ''} />
                {columns.map(({ category, aspect }, at) => (
                  <td
                    key={`${category} ${aspect}`}
                    data-label={`${categoryName(category)}, ${shortAspect(aspect)}`}
                    className={`${table.number} ${table.nowrap}`}
                  >
                    <CellView cell={row.cells[at] ?? null} resultId={row.resultId} setId={set?.id ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Shortens the name of an aspect to `component`, because nine columns have little room. */
const shortAspect = (aspect: string) => cafaAspectName(aspect).split(' ').at(-1);

interface ResultOf {
  resultId: string;
  setId: string;
}

/** Returns the address of a result: its set and itself, open. */
const resultLink = ({ setId, resultId }: ResultOf) => ({
  to: '/evaluate/{-$part}' as const,
  params: { part: undefined },
  search: { open: `${setId},${resultId}` },
});

function MethodHead({ row, setId }: { row: GridRow; setId: string }) {
  const { resultId, stage, embedding, k, isBaseline, isListed, options } = row;
  return (
    <th scope="row" className={styles.method}>
      <Link {...resultLink({ setId, resultId })}>{stage}</Link>{' '}
      {isBaseline && <span className={styles.tag}>baseline</span>}
      {!isListed && <span className={styles.tag}>not listed</span>}
      <span className={styles.small}>
        {[...(embedding === null ? [] : [embedding]), ...(k === 0 ? [] : [neighbours(k)])].join(', ')}
      </span>
      {options !== null && <span className={styles.small}>{options}</span>}
    </th>
  );
}

function CellView({ cell, resultId, setId }: ResultOf & { cell: GridCell | null }) {
  if (cell?.value == null) return <span className={table.muted}>none</span>;
  const { value, isBest, coverage, proteins } = cell;
  const text = formatReal(value);
  const basis = [
    ...(proteins === null ? [] : [plural(proteins, 'protein')]),
    ...(coverage === null ? [] : [`${percent(coverage)} covered`]),
  ];
  return (
    <div>
      {/* The row's own link leads to the same page, so the Tab key stops only once in each row. */}
      <Link {...resultLink({ setId, resultId })} tabIndex={-1}>
        {isBest ? <strong>{text}</strong> : text}
      </Link>
      {isBest && (
        <>
          {' '}
          <span className={styles.tag}>best</span>
        </>
      )}
      {basis.map((words) => (
        <span key={words} className={styles.small}>
          {words}
        </span>
      ))}
    </div>
  );
}
