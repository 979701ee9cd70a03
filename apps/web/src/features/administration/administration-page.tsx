import { Link } from '@tanstack/react-router';
import { auditExportAddress } from '../../app/api/administration.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import { useAccount } from '../account/use-account.js';
import { AuditTable } from './audit-table.js';
import { UserList } from './user-list.js';

/** Shows accounts and what was done to them, to administrators alone. */
export function AdministrationPage() {
  const account = useAccount();
  return (
    <Page title="Accounts" lead="Requests, accounts and their history. An approved account can sign in.">
      <Loaded query={account}>
        {(known) =>
          known?.role === 'admin' ? (
            <UserList
              below={
                <>
                  <h2>Audit log</h2>
                  <p>
                    <a href={auditExportAddress()} download>
                      Download the whole log
                    </a>{' '}
                    (JSON Lines, oldest first; also what has left the database for files).
                  </p>
                  <AuditTable />
                </>
              }
            />
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
