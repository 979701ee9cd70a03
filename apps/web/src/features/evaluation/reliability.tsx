import { Link } from '@tanstack/react-router';
import databases from '../../../../../models/combined/calibration-databases-test.json';
import experiments from '../../../../../models/combined/calibration-test.json';
import { aspectOrder } from '../../shared/aspect.js';
import { Panel } from '../../shared/page.js';
import styles from './evaluation.module.css';
import { strongCalls } from './strong-calls.js';

const shown = experiments.filter((row) => row.method === 'combined' && row.kingdom === 'Eukaryota');
const held = databases.filter((row) => row.kind === 'bare');

/**
 * Shows how many calls with a probability of at least 80 % were right, in the sense that the answers of this service have, and where the
 * word for them is not used because too few were.
 */
export function Reliability({ isHeld }: { isHeld: boolean }) {
  const rows = aspectOrder.flatMap((aspect) =>
    (isHeld ? held : shown).filter((row) => row.aspect === aspect),
  );
  return (
    <Panel title={`What “strong” means: ${isHeld ? 'held by the databases' : 'shown by experiment'}`}>
      <ul className={styles.reliability}>
        {rows.map((row) => {
          const { share, sentence } = strongCalls(row, isHeld);
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
        {isHeld
          ? 'Calls with a probability of at least 80 % for proteins whose own annotations were hidden: right is what databases say of them, by any evidence. '
          : 'Calls with a probability of at least 80 %, measured on eukaryotes that the model had not seen. What nobody has tested yet counts as wrong, so the true share is higher. '}
        <Link to="/evaluation">All figures</Link>
      </p>
    </Panel>
  );
}
