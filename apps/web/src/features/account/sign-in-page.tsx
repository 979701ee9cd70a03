import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn } from '../../app/api/account.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';
import { useAccountChanged } from './use-account.js';

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const changed = useAccountChanged();
  const router = useRouter();
  const enter = useMutation({
    mutationFn: () => signIn(email, password),
    onSuccess: async () => {
      await changed();
      if (router.history.canGoBack()) router.history.back();
      else await router.navigate({ to: '/' });
    },
  });
  return (
    <Page
      title="Sign in"
      lead={
        <>
          No account yet? <Link to="/sign-up">Request one</Link>. Annotating up to the daily limit needs none.{' '}
          <Link to="/password-reset">Lost your password?</Link>
        </>
      }
    >
      <Panel>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            enter.mutate();
          }}
        >
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {enter.isError && <ProblemNote error={enter.error} title="Not signed in" />}
          <Button type="submit" loading={enter.isPending}>
            Sign in
          </Button>
        </form>
      </Panel>
    </Page>
  );
}
