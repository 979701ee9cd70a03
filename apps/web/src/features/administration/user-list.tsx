import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { accountStatuses, listUsers, type User } from '../../app/api/administration.js';
import { formatAgo, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';
import { usePartSearch } from '../workbench/use-part.js';
import { UserActs } from './user-acts.js';

/** Lists accounts with their roles, and what may be done to each. */
export function UserList() {
  const { search, change } = usePartSearch();
  const status = accountStatuses.find((value) => value === search.status);
  const users = useInfiniteQuery({
    queryKey: ['users', status],
    queryFn: ({ pageParam }) => listUsers(status, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  return (
    <>
      <NativeSelect
        label="Status"
        maw={240}
        value={status ?? ''}
        data={[{ value: '', label: 'Any' }, ...accountStatuses]}
        onChange={(event) => change({ status: event.currentTarget.value || undefined })}
      />
      <Loaded query={users}>{({ pages }) => <UserTable rows={pages.flatMap((page) => page.rows)} />}</Loaded>
      <MoreButton query={users} />
    </>
  );
}

function UserTable({ rows }: { rows: User[] }) {
  const now = useNow(60_000);
  if (rows.length === 0) return <p>No account has this status.</p>;
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Status</th>
            <th scope="col">Purpose</th>
            <th scope="col">Last sign-in</th>
            <th scope="col">Role</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((user) => (
            <tr key={user.id}>
              <td data-label="Account">
                <div>
                  {user.display_name ?? user.username}
                  <br />
                  <span className={table.muted}>{user.email}</span>
                </div>
              </td>
              <td data-label="Status">{user.status}</td>
              <td data-label="Purpose">
                {user.intended_use ?? <span className={table.muted}>not stated</span>}
              </td>
              <td
                data-label="Last sign-in"
                className={table.nowrap}
                title={user.last_login_at ? formatTime(user.last_login_at) : undefined}
              >
                {user.last_login_at ? formatAgo(user.last_login_at, now) : 'never'}
              </td>
              <td data-label="Role">
                <UserActs user={user} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
