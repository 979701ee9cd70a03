import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import {
  deleteRun,
  dependentsOfRun,
  type PredictionSetDetail,
  renameRun,
  shareRun,
} from '../../app/api/predictions.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { CopyLink } from '../../shared/copy-link.js';
import { DownloadIcon } from '../../shared/icons.js';
import { LinkButton } from '../../shared/link-button.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { runName } from '../../shared/run-name.js';
import { useMayCall } from '../account/use-may-call.js';
import styles from './overview.module.css';

/** The dialog is loaded when it is opened, because it brings the list of formats with their schemas. */
const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.js')).ExportDialog }));

/** Shows the actions on a run, but only those that the service would allow. */
export function RunActions({ set }: { set: PredictionSetDetail }) {
  const [isExporting, setIsExporting] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayCall = useMayCall();
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['prediction-set', set.id] }),
      queries.invalidateQueries({ queryKey: ['prediction-sets'] }),
    ]);
  const share = useMutation({
    mutationFn: () => shareRun(set.query_set_id ?? '', set.visibility === 'listed' ? 'link' : 'listed'),
    onSuccess: changed,
  });
  const remove = useMutation({
    mutationFn: () => deleteRun(set),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['prediction-sets'] });
      return navigate({ to: '/results' });
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<DownloadIcon />} onClick={() => setIsExporting(true)}>
        Export
      </Button>
      <CopyLink />
      {set.query_set_id !== null && (
        <LinkButton variant="default" to="/" search={{ repeat: set.query_set_id, like: set.id }}>
          Repeat with changes
        </LinkButton>
      )}
      {set.may_change && set.query_set_id !== null && (
        <>
          <RenameButton set={set} querySetId={set.query_set_id} onRenamed={changed} />
          <Button variant="default" loading={share.isPending} onClick={() => share.mutate()}>
            {set.visibility === 'listed' ? 'Take it off the list' : 'List it for everyone'}
          </Button>
        </>
      )}
      {mayCall('DELETE /embeddings/prediction-sets/:id') && (
        <ConfirmButton
          loading={remove.isPending}
          question={`Delete “${runName(set)}”?`}
          consequence="Its proteins and predictions are deleted, and its link stops working. This can't be undone."
          act="Delete"
          dependents={{ key: ['run', set.id], ask: () => dependentsOfRun(set) }}
          onConfirm={() => remove.mutate()}
        >
          Delete
        </ConfirmButton>
      )}
      {share.isError && <ProblemNote error={share.error} title="Not changed" />}
      {remove.isError && <ProblemNote error={remove.error} title="Not deleted" />}
      {isExporting && (
        <Suspense>
          <ExportDialog set={set} onClose={() => setIsExporting(false)} />
        </Suspense>
      )}
    </>
  );
}

interface RenameProps {
  set: PredictionSetDetail;
  querySetId: string;
  onRenamed: () => Promise<unknown>;
}

function RenameButton({ set, querySetId, onRenamed }: RenameProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState('');
  const rename = useMutation({
    mutationFn: () => renameRun(querySetId, name),
    onSuccess: async () => {
      await onRenamed();
      dialog.current?.close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setName(set.query_set_name ?? '');
          dialog.current?.showModal();
        }}
      >
        Rename
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-label="Rename this run">
        <form onSubmit={submit} className={styles.dialogForm}>
          <TextInput
            label="Name of this run"
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {rename.isError && <ProblemNote error={rename.error} title="Not renamed" />}
          <div className={styles.choices}>
            <Button variant="default" onClick={() => dialog.current?.close()}>
              Keep the name
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
