import { Button, NativeSelect } from '@mantine/core';
import { accountRoles } from '@kindred/contracts/roles';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeUser, type User, type UserAct } from '../../app/api/administration.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './administration.module.css';
import { SetPassword } from './set-password.js';

/** Shows the role of an account, and what may be done to it now. */
export function UserActs({ user }: { user: User }) {
  const queries = useQueryClient();
  const [role, setRole] = useState(user.status === 'pending' ? 'researcher' : user.role);
  const change = useMutation({
    mutationFn: (act: UserAct) => changeUser(user.id, act),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['users'] }),
        queries.invalidateQueries({ queryKey: ['audit'] }),
      ]),
  });
  const button = (word: string, act: UserAct) => (
    <Button
      variant="default"
      size="compact-sm"
      loading={change.isPending && change.variables?.act === act.act}
      onClick={() => change.mutate(act)}
    >
      {word}
    </Button>
  );
  return (
    <>
      <div className={styles.acts}>
        <NativeSelect
          aria-label={`Role of ${user.username}`}
          size="xs"
          value={role}
          data={[...accountRoles]}
          onChange={(event) => {
            const next = accountRoles.find((value) => value === event.currentTarget.value);
            if (next !== undefined) setRole(next);
          }}
        />
        {user.status === 'pending' && button('Approve', { act: 'approve', role })}
        {user.status === 'active' && role !== user.role && button('Change the role', { act: 'role', role })}
        {user.status === 'active' && (
          <ConfirmButton
            size="compact-sm"
            loading={change.isPending && change.variables?.act === 'deactivate'}
            question={`Deactivate the account of ${user.username}?`}
            consequence="They are signed out everywhere and their keys stop working. Their results stay, and you can reactivate the account later."
            act="Deactivate"
            keep="Leave it active"
            onConfirm={() => change.mutate({ act: 'deactivate' })}
          >
            Deactivate
          </ConfirmButton>
        )}
        {user.status === 'deactivated' && button('Reactivate', { act: 'reactivate' })}
        {user.status === 'active' && <SetPassword user={user} />}
      </div>
      {change.isError && <ProblemNote error={change.error} title="Not changed" />}
    </>
  );
}
