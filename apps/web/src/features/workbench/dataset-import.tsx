import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { importDataset } from '../../app/api/laboratory.js';
import { formatCount } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useMayCall } from '../account/use-may-call.js';
import references from '../references/references.module.css';
import { manifestIn, placeFault } from './stored-place.js';

/** Registers a dataset that another program put into the store of the service. */
export function DatasetImport() {
  const mayCall = useMayCall();
  return mayCall('POST /datasets/import-by-reference') ? <Import /> : null;
}

function Import() {
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  const [force, setForce] = useState(false);
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: () => importDataset({ name: name.trim(), manifest_uri: manifestIn(folder), force }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['rows'] }),
  });
  const fault = placeFault(folder);
  return (
    <Panel title="Import a dataset that another program made">
      <form
        className={references.form}
        data-act="POST /datasets/import-by-reference"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <p>
          Its files are too large for a browser. Copy train.parquet, eval.parquet and manifest.json into one
          folder of the store of this service, then say where that is. The service reads the rest from them.
        </p>
        <TextInput
          label="Folder of the three files"
          description="As the store names it, such as s3://lab/datasets/theirs"
          maxLength={1000}
          required
          error={fault}
          value={folder}
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          description="What this service calls the dataset"
          maxLength={255}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox
          label="Replace a dataset of this name"
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
        {send.isError && <ProblemNote error={send.error} title="Not imported" />}
        {send.isSuccess && (
          <p role="status">
            {send.data.name} is imported: {formatCount(send.data.n_train_rows)} rows to train with,{' '}
            {formatCount(send.data.n_eval_rows)} to evaluate with.
          </p>
        )}
        <Button
          type="submit"
          disabled={folder.trim() === '' || name.trim() === '' || fault !== null}
          loading={send.isPending}
        >
          Import it
        </Button>
      </form>
    </Panel>
  );
}
