import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { importReranker } from '../../app/api/laboratory.js';
import { FileDrop } from '../../shared/file-drop.js';
import { formatBytes, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useMayCall } from '../account/use-may-call.js';
import references from '../references/references.module.css';
import { missingFiles, type RerankerPart, withFiles } from './reranker-files.js';
import { placeFault } from './stored-place.js';

/** Takes the three files of a trained model, dropped or chosen, and registers it. */
export function RerankerImport() {
  const mayCall = useMayCall();
  return mayCall('POST /reranker-models/import') ? <Import /> : null;
}

function Import() {
  const [{ files, unknown }, setFiles] = useState(() => withFiles<File>(new Map<RerankerPart, File>(), []));
  const [name, setName] = useState('');
  const [force, setForce] = useState(false);
  const [place, setPlace] = useState<string | null>(null);
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: () => importReranker(files, { name, force, place }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['rows'] }),
  });
  const add = (list: FileList | null) => {
    setFiles(withFiles(files, [...(list ?? [])]));
    send.reset();
  };
  const missing = missingFiles(files, place !== null);
  const fault = placeFault(place ?? '');
  return (
    <Panel title="Import a re-ranker">
      <form
        className={references.form}
        data-act="POST /reranker-models/import"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <FileDrop label="Files of the re-ranker" onFiles={add}>
          {place === null
            ? 'Drop model.txt, spec.yaml and run.json here, or choose them.'
            : 'Drop spec.yaml and run.json here, or choose them.'}
        </FileDrop>
        <ul className={references.files} aria-label="Chosen files">
          {Array.from(files, ([part, file]) => (
            <li key={part}>
              {part}: {file.name}, {formatBytes(file.size)}
            </li>
          ))}
        </ul>
        {unknown.length > 0 && <p role="status">Not a file of a re-ranker: {unknown.join(', ')}.</p>}
        {files.size > 0 && missing.length > 0 && <p role="status">Still missing: {missing.join(', ')}.</p>}
        <Checkbox
          label="The model is in the store of this service already"
          checked={place !== null}
          onChange={(event) => setPlace(event.currentTarget.checked ? '' : null)}
        />
        {place !== null && (
          <TextInput
            label="Place of model.txt"
            description="As the store names it, such as s3://lab/models/theirs/model.txt"
            maxLength={512}
            required
            error={fault}
            value={place}
            onChange={(event) => setPlace(event.currentTarget.value.trim())}
          />
        )}
        <TextInput
          label="Name"
          description="Empty: the name in run.json"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox
          label="Replace a re-ranker of this name"
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
        {send.isError && <ProblemNote error={send.error} title="Not imported" />}
        {send.isSuccess && (
          <p role="status">
            {send.data.name} is imported: {plural(send.data.tree_count, 'tree')},{' '}
            {plural(send.data.feature_names.length, 'feature')}.{' '}
            {send.data.applicable
              ? 'It can score the predictions of runs again.'
              : 'It cannot score predictions here, because this service does not compute exactly the features that it was trained on.'}
          </p>
        )}
        <Button
          type="submit"
          disabled={missing.length > 0 || place === '' || fault !== null}
          loading={send.isPending}
        >
          Import it
        </Button>
      </form>
    </Panel>
  );
}
