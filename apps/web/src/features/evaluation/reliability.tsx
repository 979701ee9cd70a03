import calibration from '../../../../../models/combined/calibration-test.json';
import type { Aspect } from '@kindred/contracts';
import { Link } from '@tanstack/react-router';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import styles from './evaluation.module.css';

/** Below this share of right ones, calls of an aspect have no such probability: `docs/explanation/combined.md`. */
const minShare = 0.75;

/** Calls with a probability of at least 80 %: how many were right, and where the word is not used because too few were. */
export function Reliability() {
  const rows = aspectOrder.flatMap((aspect) =>
    calibration.filter(
      (row) => row.method === 'combined' && row.kingdom === 'Eukaryota' && row.aspect === aspect,
    ),
  );
  return (
    <Panel title="What “strong” means">
      <ul className={styles.reliability}>
        {rows.map(({ aspect, claimed, right }) => (
          <li key={aspect}>
            <span className={styles.share} data-aspect={aspect}>
              {Math.round((100 * right) / claimed)} of 100
            </span>
            <span>
              {aspectNames[aspect as Aspect]}: {right} of {plural(claimed, 'such call')} were confirmed by
              experiments later
              {right / claimed < minShare ? ', too few: they are shown as “not calibrated”' : ''}.
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.note}>
        Calls with a probability of at least 80 %, measured on eukaryotes that the model had not seen. What
        nobody has tested yet counts as wrong, so the true share is higher.{' '}
        <Link to="/evaluation">All figures</Link>
      </p>
    </Panel>
  );
}
