import { Link } from '@tanstack/react-router';
import type { Account } from '../../app/api/account.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { ChangePassword } from './change-password.js';
import { IdentitiesPanel } from './identities-panel.js';
import { KeysPanel } from './keys-panel.js';
import { PasskeysPanel } from './passkeys-panel.js';
import { TodaysUse } from './todays-use.js';
import { useAccount } from './use-account.js';

/** Shows the visitor's account, and the keys of their programs. */
export function OwnAccountPage() {
  const account = useAccount();
  return (
    <Page title="Your account">
      <Loaded query={account}>
        {(known) => (known === null ? <SignedOut /> : <Known account={known} />)}
      </Loaded>
    </Page>
  );
}

function SignedOut() {
  return (
    <p>
      You are not signed in. <Link to="/sign-in">Sign in</Link> to see your account.
    </p>
  );
}

function Known({ account }: { account: Account }) {
  return (
    <>
      <p>
        {account.display_name ?? account.username} · {account.email} · role: {account.role}
      </p>
      <Panel title="Today">
        <TodaysUse />
      </Panel>
      <Panel title="Password">
        <ChangePassword />
      </Panel>
      <PasskeysPanel />
      <IdentitiesPanel />
      {/* The list is last, because its height is known only when it is loaded. */}
      <Panel title="API keys">
        {account.role === 'guest' ? (
          <p>A guest account has no keys. Ask an administrator for the role of a researcher.</p>
        ) : (
          <KeysPanel />
        )}
      </Panel>
    </>
  );
}
