import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  passkeysWork,
  removePasskey,
} from '../../app/api/passkeys.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import styles from './account.module.css';

const passkeysKey = ['passkeys'] as const;

/** Lists, makes and removes the passkeys of the visitor. Where the browser makes none and none is there, nothing is shown. */
export function PasskeysPanel() {
  const { data: passkeys = [] } = useQuery({ queryKey: passkeysKey, queryFn: listPasskeys });
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: passkeysKey });
  const remove = useMutation({ mutationFn: removePasskey, onSuccess });
  if (passkeys.length === 0 && !passkeysWork()) return null;
  return (
    <Panel title="Passkeys">
      <div className={styles.keys}>
        <p>Sign in by your fingerprint, face, PIN or security key instead of the password, which stays.</p>
        {remove.isError && <ProblemNote error={remove.error} title="Not removed" />}
        {passkeys.length > 0 && (
          <PasskeyTable
            rows={passkeys}
            onRemove={(id) => remove.mutate(id)}
            removing={remove.isPending ? remove.variables : null}
          />
        )}
        {passkeysWork() && <MakePasskey onMade={onSuccess} />}
      </div>
    </Panel>
  );
}

function MakePasskey({ onMade }: { onMade: () => Promise<void> }) {
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => {
      setName('');
      return onMade();
    },
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(name);
      }}
    >
      <TextInput
        label="Name of the passkey"
        placeholder="Laptop in the laboratory"
        maxLength={60}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {make.isError && <ProblemNote error={make.error} title="No passkey made" />}
      <Button type="submit" variant="default" loading={make.isPending}>
        Make a passkey
      </Button>
    </form>
  );
}

interface PasskeyTableProps {
  rows: Passkey[];
  removing: string | null;
  onRemove: (id: string) => void;
}

function PasskeyTable({ rows, removing, onRemove }: PasskeyTableProps) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Passkey</th>
            <th scope="col">For</th>
            <th scope="col">Last used</th>
            <th scope="col">Remove</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, host, last_used_at: used }) => (
            <tr key={id}>
              <td data-label="Passkey">{name}</td>
              <td data-label="For">{host}</td>
              <td data-label="Last used">{used === null ? 'never' : used.slice(0, 10)}</td>
              <td data-label="Remove">
                <ConfirmButton
                  size="compact-sm"
                  loading={removing === id}
                  question={`Remove ${name}?`}
                  consequence="It no longer signs in here. Your device keeps its part until you delete it there."
                  act="Remove"
                  onConfirm={() => onRemove(id)}
                >
                  Remove
                </ConfirmButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
