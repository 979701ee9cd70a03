import { Link } from '@tanstack/react-router';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import { useAccount } from '../account/use-account.js';
import { AuditTable } from './audit-table.js';
import { UserList } from './user-list.js';

/** Accounts and what was done to them; administrators alone. */
export function AdministrationPage() {
  const account = useAccount();
  return (
    <Page title="Accounts" lead="Requests, accounts and their history. An approved account can sign in.">
      <Loaded query={account}>
        {(known) =>
          known?.role === 'admin' ? (
            <>
              <UserList />
              <h2>Audit log</h2>
              <AuditTable />
            </>
          ) : (
            <p>
              This page is for administrators. <Link to="/sign-in">Sign in</Link> as one to see it.
            </p>
          )
        }
      </Loaded>
    </Page>
  );
}
