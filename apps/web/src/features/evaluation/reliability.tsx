import calibration from '../../../../../models/combined/calibration-test.json';
import type { Aspect } from '@kindred/contracts';
import { calibrationRule } from '@kindred/contracts/calibration';
import { Link } from '@tanstack/react-router';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import styles from './evaluation.module.css';

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
        {rows.map((row) => (
          <li key={row.aspect}>
            <span className={styles.share} data-aspect={row.aspect}>
              {Math.round((100 * row.right) / row.claimed)} of 100
            </span>
            <span>
              {aspectNames[row.aspect as Aspect]}: {row.right} of {plural(row.claimed, 'such call')} were
              confirmed by experiments later{hiddenBecause(row)}.
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

/** Why such calls have no probability: `docs/explanation/combined.md`. */
function hiddenBecause({ claimed, right, error, error_from_10 }: (typeof calibration)[number]): string {
  if (Math.max(error, error_from_10) > calibrationRule.largestError)
    return '; other calls were off by too much, so all are shown as “not calibrated”';
  return right / claimed < calibrationRule.minRight ? ', too few: they are shown as “not calibrated”' : '';
}
