import '@mantine/core/styles/PasswordInput.css';
import { Alert, Button, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type SignupInput, signUp } from '../../app/api/account.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';

const lead = 'An account keeps your results, has a larger daily quota, and can use the whole API.';
const empty: SignupInput = { email: '', username: '', password: '', intended_use: '' };

export function SignUpPage() {
  const [input, setInput] = useState(empty);
  const ask = useMutation({ mutationFn: () => signUp(input) });
  const set = (field: keyof SignupInput) => (event: { currentTarget: { value: string } }) =>
    setInput({ ...input, [field]: event.currentTarget.value });
  if (ask.isSuccess) return <Asked email={input.email} />;
  return (
    <Page title="Request an account" lead={lead}>
      <Panel>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            ask.mutate();
          }}
        >
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="email"
            required
            value={input.email}
            onChange={set('email')}
          />
          <TextInput
            label="User name"
            autoComplete="username"
            required
            maxLength={100}
            value={input.username}
            onChange={set('username')}
          />
          <PasswordInput
            label="Password"
            autoComplete="new-password"
            required
            value={input.password}
            onChange={set('password')}
          />
          <Textarea
            label="What will you use it for?"
            description="Helps the administrator decide; optional"
            maxLength={2000}
            value={input.intended_use}
            onChange={set('intended_use')}
          />
          {ask.isError && <ProblemNote error={ask.error} title="Not sent" />}
          <Button type="submit" loading={ask.isPending}>
            Request an account
          </Button>
        </form>
      </Panel>
    </Page>
  );
}

function Asked({ email }: { email: string }) {
  return (
    <Page title="Request an account" lead={lead}>
      <Alert color="teal" title="Thank you" role="status">
        Your account waits for an administrator. Once it is approved you can{' '}
        <Link to="/sign-in">sign in</Link> with {email}.
      </Alert>
    </Page>
  );
}
