import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { signOut } from '../../app/api/account.js';
import styles from './account.module.css';
import { useAccount, useAccountChanged } from './use-account.js';

/** Shows who is signed in, or the way to sign in. */
export function AccountChip() {
  const account = useAccount();
  const changed = useAccountChanged();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: () => changed(true),
  });
  if (account.isPending) return <span className={styles.chip} aria-hidden="true" />;
  if (!account.data) {
    return (
      <Link to="/sign-in" className={styles.signIn}>
        Sign in
      </Link>
    );
  }
  const { display_name, username, role } = account.data;
  return (
    <span className={styles.chip}>
      <Link to="/account" className={styles.who} title={`Your account and its API keys. Role: ${role}`}>
        {display_name ?? username}
      </Link>
      <Button
        variant="default"
        size="compact-sm"
        loading={leave.isPending}
        onClick={() => leave.mutate()}
        title={leave.isError ? leave.error.message : undefined}
      >
        {leave.isError ? 'Sign out again' : 'Sign out'}
      </Button>
    </span>
  );
}
