import '@mantine/core/styles/PasswordInput.css';
import { Alert, Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changePassword } from '../../app/api/account.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';

/** A form for users who know their password; others request a mail. */
export function ChangePassword() {
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => changePassword(present, next),
    onSuccess: () => {
      setPresent('');
      setNext('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <PasswordInput
        label="Present password"
        autoComplete="current-password"
        required
        value={present}
        onChange={(event) => setPresent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        required
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      {change.isError && <ProblemNote error={change.error} title="Not changed" />}
      {change.isSuccess && (
        <Alert color="teal" role="status" title="The new password is set">
          You are signed out in all other browsers; your API keys stay.
        </Alert>
      )}
      <div>
        <Button type="submit" variant="default" loading={change.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
