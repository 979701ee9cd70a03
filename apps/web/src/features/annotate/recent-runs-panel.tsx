import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatAgo, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { useNow } from '../../shared/use-now.js';
import styles from './annotate.module.css';
import { recentRuns } from './recent-runs.js';

/** Lists the runs that were started in this browser. Runs without an account are in no other list. */
export function RecentRuns() {
  const [runs] = useState(recentRuns);
  const now = useNow(30_000, runs.length > 0);
  if (runs.length === 0) return null;
  return (
    <Panel title="Your runs in this browser">
      <ul className={styles.runs}>
        {runs.map((run) => (
          <li key={run.jobId}>
            <Link to="/progress/$jobId" params={{ jobId: run.jobId }}>
              {run.name === '' ? plural(run.sequences, 'sequence') : run.name}
            </Link>
            <span className={styles.small}>
              {run.name === '' ? '' : `${plural(run.sequences, 'sequence')}, `}
              {formatAgo(run.startedAt, now)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
