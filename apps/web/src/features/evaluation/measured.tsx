import type { Aspect } from '@kindred/contracts';
import { aspectNames } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import table from '../../shared/table.module.css';
import { CalibrationPlot } from './calibration-plot.js';
import { categoryWords } from './category-words.js';
import { EukaryoteModels } from './eukaryote-models.js';
import styles from './evaluation.module.css';
import { floors } from './floors.js';
import measured from './measured.generated.json';
import { PrecisionRecall } from './precision-recall.js';
import { Reliability } from './reliability.js';
import { lazy, Suspense, useState } from 'react';

type Test = (typeof measured.tests)[number];
type Figure = Test['methods'][number]['figures'][number];

const ShippedTables = lazy(async () => ({ default: (await import('./shipped-tables.js')).ShippedTables }));

/** Shows figures measured before this version was shipped; the service's own evaluations are shown below. */
export function MeasuredAccuracy() {
  return (
    <>
      <Reliability isHeld={false} />
      <Reliability isHeld />
      <CalibrationPlot />
      <EukaryoteModels />
      {measured.tests.map((test) => (
        <MeasuredTest key={test.title} test={test} />
      ))}
    </>
  );
}

function MeasuredTest({ test }: { test: Test }) {
  return (
    <section className={styles.section}>
      <h2>{test.title}</h2>
      <p className={styles.note}>
        Fmax, the best balance of precision and recall: 0 is nothing right, 1 is everything. The bar is the
        combination of four organisms with its 95 % interval; the marks are the other methods. Floors are
        drawn as rings.
      </p>
      <div className={styles.charts}>
        {test.columns.map((column, at) => (
          <Chart
            key={`${column.category} ${column.aspect}`}
            title={`${aspectNames[column.aspect as Aspect]}, ${categoryWords[column.category]}`}
            proteins={column.proteins}
            aspect={column.aspect}
            methods={test.methods.map(({ name, figures }) => ({ name, figure: figures[at] as Figure }))}
          />
        ))}
      </div>
      <PrecisionRecall title={test.title} />
      <details>
        <summary>Fmax of all methods as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
        <section className={table.scroll} tabIndex={0} aria-label={test.title}>
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">Method</th>
                {test.columns.map(({ category, aspect, proteins }) => (
                  <th key={`${category} ${aspect}`} scope="col" className={table.number}>
                    {category} {aspectNames[aspect as Aspect].toLowerCase()} ({proteins})
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {test.methods.map(({ name, figures }) => (
                <tr key={name}>
                  <td data-label="Method">{name}</td>
                  {figures.map((figure, at) => (
                    <td
                      key={`${test.columns[at]?.category} ${test.columns[at]?.aspect}`}
                      className={table.number}
                      data-label={`${test.columns[at]?.category} ${test.columns[at]?.aspect}`}
                    >
                      {figureWords(figure)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
      <AllFigures title={test.title} />
    </section>
  );
}

/** Shows the figures of all pairs of methods, which are fetched when they are opened, because they are many. */
function AllFigures({ title }: { title: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>All figures with intervals, and two methods compared</summary>
      {isOpen && (
        <Suspense>
          <ShippedTables title={title} />
        </Suspense>
      )}
    </details>
  );
}

function figureWords(figure: Figure): string {
  const interval = 'low' in figure && figure.low !== undefined ? ` (${figure.low} to ${figure.high})` : '';
  return `${figure.value.toFixed(3)}${interval}`;
}

interface ChartProps {
  title: string;
  proteins: number;
  aspect: string;
  methods: readonly { name: string; figure: Figure }[];
}

const width = 300;
const scale = (value: number) => 8 + value * (width - 16);

/** Draws one cell of the evaluation: all methods on one line from 0 to 1. */
function Chart({ title, proteins, aspect, methods }: ChartProps) {
  const combined = methods.find(({ name }) => name === 'combined')?.figure;
  const others = methods.filter(({ name }) => name !== 'combined');
  const best = Math.max(...others.filter(({ name }) => floors.has(name)).map(({ figure }) => figure.value));
  const words = `${title}: combination ${combined === undefined ? 'not measured' : figureWords(combined)}; best floor ${best.toFixed(3)}`;
  return (
    <figure className={styles.chart} data-aspect={aspect}>
      <figcaption>
        {title} <span className={styles.meaning}>{plural(proteins, 'protein')}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} 44`} role="img" aria-label={words}>
        <line x1={scale(0)} x2={scale(1)} y1="22" y2="22" className={styles.axis} />
        {combined !== undefined && 'low' in combined && combined.low !== undefined && (
          <rect
            x={scale(combined.low)}
            y="14"
            width={scale(combined.high ?? 1) - scale(combined.low)}
            height="16"
            rx="3"
            className={styles.band}
          />
        )}
        {others.map(({ name, figure }) => (
          <circle
            key={name}
            cx={scale(figure.value)}
            cy="22"
            r="4"
            className={floors.has(name) ? styles.floor : styles.other}
          >
            <title>
              {name}: {figureWords(figure)}
            </title>
          </circle>
        ))}
        {combined !== undefined && (
          <line
            x1={scale(combined.value)}
            x2={scale(combined.value)}
            y1="9"
            y2="35"
            className={styles.mark}
          />
        )}
        <text x={scale(0)} y="43" className={styles.tick}>
          0
        </text>
        <text x={scale(1)} y="43" textAnchor="end" className={styles.tick}>
          1
        </text>
      </svg>
    </figure>
  );
}
