import tested from '../../../../../models/combined/calibration-bins.json';
import type { Aspect } from '@kindred/contracts';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { formatCount, percent } from '../../shared/format.js';
import styles from './evaluation.module.css';
import { type Place, place, plot } from './plot.js';
import { Axes } from './precision-recall.js';

/** The minimum number of predictions of a bin that is drawn, because smaller bins say nothing. */
const minPredictions = 20;
const methodWords: Readonly<Record<string, string>> = {
  combined: 'With what is known of the protein',
  untrained: 'Bare sequences',
};

interface Dot {
  at: Place;
  predictions: number;
}

/** Draws the probabilities against the shares that were right. */
export function CalibrationPlot() {
  return (
    <section className={styles.section}>
      <h2>What a probability means</h2>
      <p className={styles.note}>
        Each dot is a tenth of the scale: how probable the predictions were said to be (across), and how many
        of them experiments confirmed later (up). On the line both agree; above it the predictions are better
        than they say. Larger dots are more predictions. Measured on the changes from 2018 to 2020 and 2020 to
        2022 in organisms that neither the model nor the scale had seen: yeast, worm and Dictyostelium for
        eukaryotes, E. coli for bacteria. What nobody has tested yet counts as wrong.
      </p>
      {Object.entries(methodWords).map(([method, title]) => (
        <div key={method} className={styles.section}>
          <h3>{title}</h3>
          <div className={styles.charts}>
            {aspectOrder.map((aspect) => (
              <Chart key={aspect} aspect={aspect} method={method} />
            ))}
          </div>
        </div>
      ))}
      <p className={styles.note}>Filled dots: eukaryotes. Rings: bacteria.</p>
    </section>
  );
}

function dotsOf(method: string, kingdom: string, aspect: Aspect): Dot[] {
  const found = tested.find(
    (row) => row.method === method && row.kingdom === kingdom && row.aspect === aspect,
  );
  return (found?.bins ?? []).flatMap(({ said, right, predictions }) =>
    said === null || predictions < minPredictions
      ? []
      : [{ at: [said, right / predictions] as const, predictions }],
  );
}

function Chart({ aspect, method }: { aspect: Aspect; method: string }) {
  const groups = ['Eukaryota', 'Bacteria'].map((kingdom) => ({
    kingdom,
    dots: dotsOf(method, kingdom, aspect),
  }));
  const words = groups
    .map(
      ({ kingdom, dots }) =>
        `${kingdom}: ${dots.length === 0 ? 'no probability is shown' : dots.map(dotWords).join('; ')}`,
    )
    .join('. ');
  const [from, to] = [place([0, 0]), place([1, 1])];
  return (
    <figure className={styles.chart} data-aspect={aspect}>
      <figcaption>{aspectNames[aspect]}</figcaption>
      <svg
        viewBox={plot.viewBox}
        role="img"
        aria-label={`${aspectNames[aspect]}. ${words}`}
        className={styles.plot}
      >
        <Axes horizontal="Said to be right" vertical="Confirmed later" />
        <line x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} className={styles.diagonal} />
        {groups.every(({ dots }) => dots.length === 0) && (
          <text
            x={(from[0] + to[0]) / 2}
            y={(from[1] + to[1]) / 2 - 6}
            textAnchor="middle"
            className={styles.words}
          >
            Not shown: off by too much in the test
          </text>
        )}
        {groups.flatMap(({ kingdom, dots }) =>
          dots.map((dot) => {
            const [x, y] = place(dot.at);
            return (
              <circle
                key={`${kingdom} ${dot.at[0]}`}
                cx={x}
                cy={y}
                r={2 + Math.log10(dot.predictions)}
                className={kingdom === 'Bacteria' ? styles.ring : styles.best}
              >
                <title>{`${kingdom}: ${dotWords(dot)}`}</title>
              </circle>
            );
          }),
        )}
      </svg>
    </figure>
  );
}

function dotWords({ at: [said, right], predictions }: Dot): string {
  return `said ${percent(said)}, right ${percent(right)} of ${formatCount(predictions)}`;
}
