import '@mantine/core/styles/PasswordInput.css';
import { Alert, Button, Group, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type MailKind, requestMail, setPassword } from '../../app/api/account.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';

/** Returns the token of a mail, which is after '#', where no server sees it. */
function tokenOfAddress(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get('token');
}

/** Shows a form for the new password if the address has the token of a mail, and otherwise a form that requests the mail. */
export function PasswordPage() {
  const [token] = useState(tokenOfAddress);
  useEffect(() => {
    // The token is removed from the address, so that it stays neither in the history nor on a screen that others see.
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token === null ? <MailForm /> : <NewPasswordForm token={token} />;
}

function MailForm() {
  const [email, setEmail] = useState('');
  const ask = useMutation({ mutationFn: (kind: MailKind) => requestMail(kind, email) });
  return (
    <Page
      title="Sign in by mail"
      lead="A mail with a link to sign in, or to choose a new password. The link works once, within 15 minutes."
    >
      <Panel>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            ask.mutate('password-reset');
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
          {ask.isError && <ProblemNote error={ask.error} title="Not sent" />}
          {ask.isSuccess && (
            <Alert color="teal" title="Check your e-mail" role="status">
              If an active account has this address, the mail is on its way.
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={ask.isPending && ask.variables === 'password-reset'}>
              Choose a new password
            </Button>
            <Button
              variant="default"
              disabled={email === ''}
              loading={ask.isPending && ask.variables === 'magic-link'}
              onClick={() => ask.mutate('magic-link')}
            >
              Only sign me in
            </Button>
          </Group>
        </form>
      </Panel>
    </Page>
  );
}

function NewPasswordForm({ token }: { token: string }) {
  const [password, setInput] = useState('');
  const change = useMutation({ mutationFn: () => setPassword(token, password) });
  return (
    <Page title="Choose a new password" lead="You are signed out everywhere else; your API keys stay.">
      <Panel>
        {change.isSuccess ? (
          <Alert color="teal" title="The new password is set" role="status">
            <Link to="/sign-in">Sign in</Link> with it.
          </Alert>
        ) : (
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              change.mutate();
            }}
          >
            <PasswordInput
              label="New password"
              autoComplete="new-password"
              required
              value={password}
              onChange={(event) => setInput(event.currentTarget.value)}
            />
            {change.isError && <ProblemNote error={change.error} title="Not changed" />}
            <Button type="submit" loading={change.isPending}>
              Set the password
            </Button>
          </form>
        )}
      </Panel>
    </Page>
  );
}
