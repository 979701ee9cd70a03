import calibration from '../../../../../models/combined/calibration-test.json';
import { Link } from '@tanstack/react-router';
import { aspectOrder } from '../../shared/aspect.js';
import { Panel } from '../../shared/page.js';
import styles from './evaluation.module.css';
import { strongCalls } from './strong-calls.js';

/** Shows how many calls with a probability of at least 80 % were right, and where the word for them is not used because too few were. */
export function Reliability() {
  const rows = aspectOrder.flatMap((aspect) =>
    calibration.filter(
      (row) => row.method === 'combined' && row.kingdom === 'Eukaryota' && row.aspect === aspect,
    ),
  );
  return (
    <Panel title="What “strong” means">
      <ul className={styles.reliability}>
        {rows.map((row) => {
          const { share, sentence } = strongCalls(row);
          return (
            <li key={row.aspect}>
              <span className={styles.share} data-aspect={row.aspect}>
                {share}
              </span>
              <span>{sentence}</span>
            </li>
          );
        })}
      </ul>
      <p className={styles.note}>
        Calls with a probability of at least 80 %, measured on eukaryotes that the model had not seen. What
        nobody has tested yet counts as wrong, so the true share is higher.{' '}
        <Link to="/evaluation">All figures</Link>
      </p>
    </Panel>
  );
}
