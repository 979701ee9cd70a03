import { Anchor, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type Identity,
  institutionAddress,
  listIdentities,
  listInstitutions,
  removeIdentity,
} from '../../app/api/institutions.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import styles from './account.module.css';

const identitiesKey = ['identities'] as const;

/** Lists, links and unlinks the institutions by which the visitor can sign in. Where none is set up, nothing is shown. */
export function IdentitiesPanel() {
  const institutions = useQuery({ queryKey: ['institutions'], queryFn: listInstitutions });
  const identities = useQuery({ queryKey: identitiesKey, queryFn: listIdentities });
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: removeIdentity,
    onSuccess: () => queries.invalidateQueries({ queryKey: identitiesKey }),
  });
  const [known = [], linked = []] = [institutions.data, identities.data];
  if (known.length === 0 && linked.length === 0) return null;
  const open = known.filter(({ title }) => !linked.some(({ institution }) => institution === title));
  return (
    <Panel title="Institutions">
      <div className={styles.keys}>
        {remove.isError && <ProblemNote error={remove.error} title="Not unlinked" />}
        {linked.length > 0 && (
          <IdentityTable
            rows={linked}
            onRemove={(id) => remove.mutate(id)}
            removing={remove.isPending ? remove.variables : null}
          />
        )}
        <div className={styles.make}>
          {open.map(({ name, title }) => (
            <Button
              key={name}
              component="a"
              href={institutionAddress(name, { link: true })}
              variant="default"
            >
              Link {title}
            </Button>
          ))}
        </div>
      </div>
    </Panel>
  );
}

interface IdentityTableProps {
  rows: Identity[];
  removing: string | null;
  onRemove: (id: string) => void;
}

function IdentityTable({ rows, removing, onRemove }: IdentityTableProps) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Institution</th>
            <th scope="col">E-mail there</th>
            <th scope="col">Link</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, institution, email, logout_url: logoutUrl }) => (
            <tr key={id}>
              <td data-label="Institution">{institution}</td>
              <td data-label="E-mail there">{email}</td>
              <td data-label="Link">
                <ConfirmButton
                  size="compact-sm"
                  loading={removing === id}
                  question={`Unlink ${institution}?`}
                  consequence="You can no longer sign in by it. Have a password before you unlink the last one."
                  act="Unlink"
                  onConfirm={() => onRemove(id)}
                >
                  Unlink
                </ConfirmButton>{' '}
                {logoutUrl !== null && <Anchor href={logoutUrl}>Sign out there</Anchor>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
