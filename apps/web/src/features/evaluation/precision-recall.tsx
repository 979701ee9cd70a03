import curves from '../../../../../models/combined/curves.json';
import type { Aspect } from '@kindred/contracts';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount, percent, plural } from '../../shared/format.js';
import { GlossaryWord } from '../../shared/glossary-word.js';
import { categoryWords } from './category-words.js';
import styles from './evaluation.module.css';
import { areaBetween, lineThrough, type Place, place, plot } from './plot.js';

type Test = (typeof curves.tests)[number];
type Cell = Test['cells'][number];
type Curve = Cell['curves'][number];

/** Draws precision and recall at every threshold, for the test with this title; nothing if they were not measured. */
export function PrecisionRecall({ title }: { title: string }) {
  const at = curves.tests.findIndex((one) => one.title === title);
  const test = curves.tests[at];
  if (test === undefined) return null;
  // Only the first part is open, because nine drawings of each test are a long way on a phone.
  return (
    <details open={at === 0} className={styles.curves}>
      <summary>Precision and recall at every threshold</summary>
      <p className={styles.note}>
        <GlossaryWord entry="Precision and recall">Precision and recall</GlossaryWord> from the highest score
        (left) to the lowest (right). The line is the combination that runs use, with the interval that holds
        its precision in 95 % of {formatCount(curves.resamples)} resamples of the proteins; the dot is its
        best balance (<GlossaryWord entry="Fmax" />
        ), with its score. Dashes are sequence similarity, dots the frequency of terms alone.
      </p>
      <div className={styles.charts}>
        {test.cells.map((cell) => (
          <CurveChart key={`${cell.category} ${cell.aspect}`} cell={cell} />
        ))}
      </div>
    </details>
  );
}

/** Draws a line through points, which are [threshold, recall, precision, lower and upper bound of the precision]. */
const line = ({ points }: Curve) =>
  lineThrough(points.map(([, recall = 0, precision = 0]): Place => [recall, precision]));

function CurveChart({ cell: { category, aspect, proteins, curves: drawn } }: { cell: Cell }) {
  const name = `${aspectNames[aspect as Aspect]}, ${categoryWords[category]}`;
  const main = drawn.find(({ method }) => method === 'combined');
  const best = main?.points.find(([tau]) => tau === main.tau);
  const [, recall = 0, precision = 0] = best ?? [];
  const words =
    best === undefined
      ? `${name}: not measured`
      : `${name}: best balance ${main?.fmax.toFixed(3)} at a score of ${main?.tau}, with a precision of ${percent(precision)} and a recall of ${percent(recall)}`;
  const [x, y] = place([recall, precision]);
  return (
    <figure className={styles.chart} data-aspect={aspect}>
      <figcaption>
        {name} <span className={styles.meaning}>{plural(proteins, 'protein')}</span>
      </figcaption>
      <svg viewBox={plot.viewBox} role="img" aria-label={words} className={styles.plot}>
        <Axes horizontal="Recall" vertical="Precision" />
        {main !== undefined && (
          <polygon
            className={styles.band}
            points={areaBetween(
              main.points.map(([, at = 0, , low = 0]): Place => [at, low]),
              main.points.map(([, at = 0, , , high = 0]): Place => [at, high]),
            )}
          />
        )}
        {drawn.map((curve) => (
          <polyline
            key={curve.method}
            points={line(curve)}
            className={styles.curve}
            data-method={curve.method}
          />
        ))}
        {best !== undefined && (
          <>
            <circle cx={x} cy={y} r="4" className={styles.best} />
            <text x={x + 7} y={y - 5} className={styles.tick}>
              {main?.tau}
            </text>
          </>
        )}
      </svg>
    </figure>
  );
}

/** Draws a square from 0 to 1 with the names of its axes. */
export function Axes({ horizontal, vertical }: { horizontal: string; vertical: string }) {
  const [left, bottom] = place([0, 0]);
  const [right, top] = place([1, 1]);
  return (
    <>
      {[0, 0.5, 1].map((value) => {
        const [x, y] = place([value, value]);
        return (
          <g key={value}>
            <line x1={x} x2={x} y1={top} y2={bottom} className={styles.axis} />
            <line x1={left} x2={right} y1={y} y2={y} className={styles.axis} />
            <text x={x} y={bottom + 11} textAnchor="middle" className={styles.tick}>
              {value}
            </text>
            <text x={left - 4} y={y + 3} textAnchor="end" className={styles.tick}>
              {value}
            </text>
          </g>
        );
      })}
      <text x={(left + right) / 2} y={bottom + 22} textAnchor="middle" className={styles.tick}>
        {horizontal}
      </text>
      <text
        transform={`translate(9 ${(top + bottom) / 2}) rotate(-90)`}
        textAnchor="middle"
        className={styles.tick}
      >
        {vertical}
      </text>
    </>
  );
}
