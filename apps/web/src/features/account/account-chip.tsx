import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { signOut } from '../../app/api/account.js';
import styles from './account.module.css';
import { useAccount } from './use-account.js';

/** Who is signed in, or the way to sign in. */
export function AccountChip() {
  const account = useAccount();
  const queries = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    // Everything that was read with the account is read again without it.
    onSuccess: () => queries.resetQueries(),
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
