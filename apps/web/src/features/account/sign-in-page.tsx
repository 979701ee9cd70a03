import '@mantine/core/styles/PasswordInput.css';
import { Alert, Button, PasswordInput, TextInput } from '@mantine/core';
import { type LoginOutcome, loginOutcomes } from '@kindred/contracts/institutions';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn } from '../../app/api/account.js';
import { institutionAddress, listInstitutions } from '../../app/api/institutions.js';
import { passkeysWork, signInByPasskey } from '../../app/api/passkeys.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';
import { useAccountChanged } from './use-account.js';

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const onSuccess = useSignedIn();
  const enter = useMutation({ mutationFn: () => signIn(email, password), onSuccess });
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
      <Outcome />
      <Institutions />
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
      {passkeysWork() && <ByPasskey />}
    </Page>
  );
}

/** Leads who has signed in back to where they came from. */
function useSignedIn() {
  const changed = useAccountChanged();
  const router = useRouter();
  return async () => {
    await changed(false);
    if (router.history.canGoBack()) router.history.back();
    else await router.navigate({ to: '/' });
  };
}

function ByPasskey() {
  const enter = useMutation({ mutationFn: signInByPasskey, onSuccess: useSignedIn() });
  return (
    <Panel>
      {enter.isError && <ProblemNote error={enter.error} title="Not signed in" />}
      <Button variant="default" loading={enter.isPending} onClick={() => enter.mutate()}>
        Sign in with a passkey
      </Button>
    </Panel>
  );
}

/** Says why a login by an institution ended without a session. */
function Outcome() {
  const outcome = new URLSearchParams(window.location.search).get('outcome') ?? '';
  if (!(outcome in loginOutcomes)) return null;
  return (
    <Alert role="status" variant="light" title="Not signed in">
      {loginOutcomes[outcome as LoginOutcome]}
    </Alert>
  );
}

function Institutions() {
  const { data = [] } = useQuery({ queryKey: ['institutions'], queryFn: listInstitutions });
  if (data.length === 0) return null;
  return (
    <Panel>
      <div className={styles.make}>
        {data.map(({ name, title }) => (
          <Button key={name} component="a" href={institutionAddress(name)} variant="default">
            Continue with {title}
          </Button>
        ))}
      </div>
    </Panel>
  );
}
