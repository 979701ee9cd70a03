import { useInfiniteQuery } from '@tanstack/react-query';
import { type AuditEntry, listAudit } from '../../app/api/administration.js';
import { formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import table from '../../shared/table.module.css';

/** What was done, newest first. */
export function AuditTable() {
  const entries = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) => listAudit(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  return (
    <>
      <Loaded query={entries}>{({ pages }) => <Entries rows={pages.flatMap((page) => page.rows)} />}</Loaded>
      <MoreButton query={entries} />
    </>
  );
}

function Entries({ rows }: { rows: AuditEntry[] }) {
  if (rows.length === 0) return <p>Nothing is recorded yet.</p>;
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">To</th>
            <th scope="col">By</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((entry) => (
            <tr key={entry.id}>
              <td data-label="When" className={table.nowrap}>
                {formatTime(entry.occurred_at)}
              </td>
              <td data-label="What">{entry.action}</td>
              <td data-label="To" className={table.code}>
                {entry.target ?? ''}
              </td>
              <td data-label="By" className={table.code}>
                {entry.actor_user_id ?? ''}
              </td>
              <td data-label="Details" className={table.code}>
                {Object.keys(entry.payload).length > 0 ? JSON.stringify(entry.payload) : ''}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
