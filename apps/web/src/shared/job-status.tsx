import type { JobStatus } from '../app/api/jobs.js';
import styles from './job-status.module.css';

const words: Record<JobStatus, string> = {
  QUEUED: 'Waiting',
  RUNNING: 'Running',
  SUCCEEDED: 'Done',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
};

export function statusWord(status: JobStatus): string {
  return words[status];
}

export function StatusBadge({ status }: { status: JobStatus }) {
  return <span className={`${styles.badge} ${styles[status]}`}>{words[status]}</span>;
}
