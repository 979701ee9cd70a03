import { Link } from '@tanstack/react-router';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { formatTime, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import styles from './results.module.css';

/** From which releases and with which settings the set was made. */
export function Provenance({ set }: { set: PredictionSetDetail }) {
  const facts: [string, string][] = [
    ['Annotations', set.annotation_set_label ?? 'none'],
    ['Ontology release', set.ontology_snapshot_version],
    ['Vectors', set.embedding_config_name ?? 'none'],
    [
      'Search',
      set.limit_per_entry === 0
        ? `none; method ${set.method}`
        : `${plural(set.limit_per_entry, 'nearest neighbour')}, ${set.metric} distance${
            set.distance_threshold === null ? '' : ` up to ${set.distance_threshold}`
          }`,
    ],
    ['Made', formatTime(set.created_at)],
    ['In lists of', set.visibility === 'listed' ? 'everyone' : 'its owner and the operators'],
  ];
  return (
    <Panel title="Made from">
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.small}>
        Set {set.id}
        {set.job_id !== null && (
          <>
            {' '}
            ·{' '}
            <Link to="/jobs/$jobId" params={{ jobId: set.job_id }}>
              the job that made it
            </Link>
          </>
        )}
      </p>
    </Panel>
  );
}
