import { Link } from '@tanstack/react-router';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { formatDay, formatTime, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import styles from './results.module.css';

/** From which releases and with which settings the set was made. */
export function Provenance({ set }: { set: PredictionSetDetail }) {
  const facts: [string, string][] = [
    ['Annotations', set.annotation_set_label ?? 'none'],
    ['Gene Ontology', formatDay(set.ontology_snapshot_version)],
    ['Similarity model', set.embedding_config_name ?? 'none'],
    ['Compared with', comparedWith(set)],
    ['Made', formatTime(set.created_at)],
    ['In lists of', set.visibility === 'listed' ? 'everyone' : 'its owner and the operators'],
  ];
  return (
    <Panel title="Sources">
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {set.job_id !== null && (
        <p className={styles.small}>
          <Link to="/jobs/$jobId" params={{ jobId: set.job_id }}>
            Technical log of this run
          </Link>
        </p>
      )}
    </Panel>
  );
}

function comparedWith({ limit_per_entry, method, distance_threshold }: PredictionSetDetail): string {
  if (limit_per_entry === 0) return `no similar proteins (${method})`;
  const limit = distance_threshold === null ? '' : ', within a distance that the run set';
  return `the ${plural(limit_per_entry, 'most similar protein')} of each${limit}`;
}
