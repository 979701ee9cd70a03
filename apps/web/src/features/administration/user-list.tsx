import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountStatuses, listUsers, type User } from '../../app/api/administration.js';
import { formatAgo, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';
import { UserActs } from './user-acts.js';

const route = getRouteApi('/administration');

/** Lists accounts, and below them a part that appears when the list has its height. */
export function UserList({ below }: { below: ReactNode }) {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
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
        onChange={(event) => {
          const next = accountStatuses.find((value) => value === event.currentTarget.value);
          void navigate({
            search: (before) => ({ ...before, status: next }),
            replace: true,
            resetScroll: false,
          });
        }}
      />
      <Loaded query={users}>{({ pages }) => <UserTable rows={pages.flatMap((page) => page.rows)} />}</Loaded>
      <MoreButton query={users} />
      {users.data !== undefined && below}
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
                {user.display_name ?? user.username}
                <br />
                <span className={table.muted}>{user.email}</span>
              </td>
              <td data-label="Status">{user.status}</td>
              <td data-label="Purpose">{user.intended_use ?? ''}</td>
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
