import { Link } from '@tanstack/react-router';
import type { Job } from '../../app/api/jobs.js';
import { formatAgo, formatTime } from '../../shared/format.js';
import { StatusBadge } from '../../shared/job-status.js';
import { jobTitle } from '../../shared/job-title.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';
import { progressText } from './job-text.js';

/** Lists jobs in words, one on each line. */
export function JobTable({ rows }: { rows: Job[] }) {
  const now = useNow(5000);
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Status</th>
            <th scope="col">Progress</th>
            <th scope="col">Queued</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((job) => (
            <tr key={job.id}>
              <td data-label="What">
                <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                  {jobTitle(job.operation)}
                </Link>
              </td>
              <td data-label="Status">
                <StatusBadge status={job.status} />
              </td>
              <td data-label="Progress" className={table.muted}>
                {job.status === 'FAILED' ? (job.error_message ?? 'No reason recorded') : progressText(job)}
              </td>
              <td data-label="Queued" className={table.nowrap} title={formatTime(job.created_at)}>
                {formatAgo(job.created_at, now)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
