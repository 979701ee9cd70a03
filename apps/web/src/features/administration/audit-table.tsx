import { NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { auditActions } from '@kindred/contracts/audit-actions';
import { type AuditEntry, auditExportAddress, listAudit } from '../../app/api/administration.js';
import { formatTime } from '../../shared/format.js';
import { SearchIcon } from '../../shared/icons.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import table from '../../shared/table.module.css';
import { usePartSearch } from '../workbench/use-part.js';
import styles from './administration.module.css';
import { auditWords, detailWords, targetWords } from './audit-words.js';

/** Lists who did what to what, newest first, with a search by names. The address holds the search. */
export function AuditTable() {
  const {
    search: { q, act: asked },
    change,
  } = usePartSearch();
  const act = auditActions.find((action) => action === asked);
  const search = useDeferredValue(q?.trim() || undefined);
  const entries = useInfiniteQuery({
    queryKey: ['audit', search, act],
    queryFn: ({ pageParam }) => listAudit({ q: search, action: act }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: (before) => before,
  });
  return (
    <>
      <p>
        <a href={auditExportAddress()} download>
          Download the whole log
        </a>{' '}
        (JSON Lines, oldest first; also what has left the database for files).
      </p>
      <div className={styles.tools}>
        <TextInput
          type="search"
          aria-label="Search the audit log by account, key or webhook"
          placeholder="Search accounts, keys, webhooks"
          leftSection={<SearchIcon />}
          value={q ?? ''}
          maxLength={100}
          onChange={(event) => change({ q: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          aria-label="What was done"
          value={act ?? ''}
          data={[
            { value: '', label: 'Everything' },
            ...auditActions.map((value) => ({ value, label: auditWords[value] })),
          ]}
          onChange={(event) => change({ act: event.currentTarget.value || undefined })}
        />
      </div>
      <Loaded query={entries}>{({ pages }) => <Entries rows={pages.flatMap((page) => page.rows)} />}</Loaded>
      <MoreButton query={entries} />
    </>
  );
}

function Entries({ rows }: { rows: AuditEntry[] }) {
  if (rows.length === 0) return <p>Nothing of this kind is recorded.</p>;
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
            <tr key={entry.id} data-action={entry.action}>
              <td data-label="When" className={table.nowrap}>
                {formatTime(entry.occurred_at)}
              </td>
              <td data-label="What">{auditWords[entry.action]}</td>
              <td data-label="To" className={table.breaking}>
                {targetWords(entry)}
              </td>
              <td data-label="By" className={table.breaking}>
                {actorWords(entry)}
              </td>
              <td data-label="Details">
                <div>
                  {detailWords(entry)}
                  <AsRecorded entry={entry} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function actorWords({ actor, actor_user_id: id }: AuditEntry): string {
  if (actor !== null) return actor;
  return id === null ? 'nobody signed in' : 'an account that is gone';
}

/** Shows the ids, for people who look for them in logs or by the API. */
function AsRecorded({ entry: { target, actor_user_id, payload } }: { entry: AuditEntry }) {
  const recorded = { target, actor_user_id, ...payload };
  return (
    <details className={styles.recorded}>
      <summary>As recorded</summary>
      <pre className={table.code}>{JSON.stringify(recorded, null, 1)}</pre>
    </details>
  );
}
