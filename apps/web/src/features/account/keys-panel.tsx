import { Alert, Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, listOwnKeys, makeKey, revokeKey } from '../../app/api/keys.js';
import { formatAgo, formatTime } from '../../shared/format.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import { useNow } from '../../shared/use-now.js';
import styles from './account.module.css';

const keysKey = ['own keys'] as const;

/** Makes, lists and revokes the visitor's own keys. */
export function KeysPanel() {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const keys = useInfiniteQuery({
    queryKey: keysKey,
    queryFn: ({ pageParam }) => listOwnKeys(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const make = useMutation({
    mutationFn: () => makeKey(name),
    onSuccess: () => {
      setName('');
      return queries.invalidateQueries({ queryKey: keysKey });
    },
  });
  return (
    <div className={styles.keys}>
      <p>For programs: send a key as “Authorization: ApiKey …” or as “X-Api-Key”.</p>
      <form
        className={styles.make}
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <TextInput
          label="Name of a new key"
          placeholder="pipeline on the cluster"
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={make.isPending}>
          Make a key
        </Button>
      </form>
      {make.isError && <ProblemNote error={make.error} title="No key made" />}
      {make.data !== undefined && (
        <Alert role="status" variant="light" title="Copy this key now: it is shown only once">
          <code className={table.code}>{make.data.key}</code>
        </Alert>
      )}
      <Loaded query={keys}>
        {({ pages }) => (
          <KeyTable
            rows={pages.flatMap((page) => page.rows)}
            onRevoked={(id) => id === make.data?.id && make.reset()}
          />
        )}
      </Loaded>
      <MoreButton query={keys} />
    </div>
  );
}

function KeyTable({ rows, onRevoked }: { rows: ApiKey[]; onRevoked: (id: string) => void }) {
  const now = useNow(60_000);
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeKey,
    onSuccess: (_, id) => {
      onRevoked(id);
      return queries.invalidateQueries({ queryKey: keysKey });
    },
  });
  if (rows.length === 0) return <p>No key yet.</p>;
  return (
    <>
      {revoke.isError && <ProblemNote error={revoke.error} title="Not revoked" />}
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Begins with</th>
              <th scope="col">Role</th>
              <th scope="col">Last used</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((key) => (
              <tr key={key.id}>
                <td data-label="Name">{key.name}</td>
                <td data-label="Begins with" className={table.code}>
                  {key.prefix}
                </td>
                <td data-label="Role">{key.role}</td>
                <td
                  data-label="Last used"
                  title={key.last_used_at ? formatTime(key.last_used_at) : undefined}
                >
                  {key.last_used_at ? formatAgo(key.last_used_at, now) : 'never'}
                </td>
                <td data-label="State">
                  {key.revoked_at ? (
                    `revoked ${formatAgo(key.revoked_at, now)}`
                  ) : (
                    <ConfirmButton
                      size="compact-sm"
                      loading={revoke.isPending && revoke.variables === key.id}
                      question={`Revoke the key “${key.name}”?`}
                      consequence="Programs that use it stop working at once. A revoked key can’t be used again; you can make a new one."
                      act="Revoke the key"
                      onConfirm={() => revoke.mutate(key.id)}
                    >
                      Revoke
                    </ConfirmButton>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
