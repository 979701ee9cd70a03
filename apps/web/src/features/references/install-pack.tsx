import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Doing, installPack } from '../../app/api/reference-builds.js';
import drop from '../../shared/file-drop.module.css';
import { formatBytes, percent } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './references.module.css';

/** Installs a reference that another service packed into one file. */
export function InstallPack() {
  const [file, setFile] = useState<File>();
  const [isDefault, setDefault] = useState(false);
  const [now, setNow] = useState<Doing>({ doing: 'starting', share: 0 });
  const queries = useQueryClient();
  const install = useMutation({
    mutationFn: (chosen: File) => installPack(chosen, isDefault, setNow),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <form
      className={styles.form}
      data-act="POST /references/install"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== undefined) install.mutate(file);
      }}
    >
      <label className={drop.drop}>
        <span>The file of a packed reference, as “Pack it” of another service gives it.</span>
        <input
          type="file"
          aria-label="File of the pack"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0]);
            install.reset();
          }}
        />
      </label>
      <Checkbox
        label="Runs use it from now on, where their owner names nothing"
        checked={isDefault}
        onChange={(event) => setDefault(event.currentTarget.checked)}
      />
      {install.isPending && (
        <p role="status">
          {percent(now.share)}: {now.doing}
        </p>
      )}
      {install.isSuccess && <p role="status">{install.data} is installed. It is in the list below.</p>}
      {install.isError && <ProblemNote error={install.error} title="The pack was not installed" />}
      <Button type="submit" disabled={file === undefined} loading={install.isPending}>
        {file === undefined ? 'Install it' : `Install ${file.name} (${formatBytes(file.size)})`}
      </Button>
    </form>
  );
}
