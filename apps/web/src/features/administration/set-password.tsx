import { InputBase } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { setUserPassword, type User } from '../../app/api/administration.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './administration.module.css';

/**
 * Sets the password of somebody who lost theirs. The administrator hands it over, because a service without mail cannot send it, and so
 * reads it while typing.
 */
export function SetPassword({ user }: { user: User }) {
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const set = useMutation({
    mutationFn: () => setUserPassword(user.id, password),
    onSuccess: () => {
      setPassword('');
      return queries.invalidateQueries({ queryKey: ['audit'] });
    },
  });
  return (
    <>
      <ConfirmButton
        size="compact-sm"
        loading={set.isPending}
        question={`Set a new password for ${user.username}?`}
        consequence={
          <>
            <p>
              They are signed out everywhere; their API keys stay. No mail is sent: hand the password over
              yourself, and ask them to change it on their account page.
            </p>
            <InputBase
              label="New password"
              autoComplete="off"
              spellCheck={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        }
        act="Set the password"
        keep="Keep the old one"
        onConfirm={() => set.mutate()}
      >
        Set a password
      </ConfirmButton>
      {set.isSuccess && (
        <p className={styles.said} role="status">
          The new password is set; {plural(set.data.revoked, 'session')} ended.
        </p>
      )}
      {set.isError && <ProblemNote error={set.error} title="Not set" />}
    </>
  );
}
