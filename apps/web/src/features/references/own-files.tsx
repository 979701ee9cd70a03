import { Button } from '@mantine/core';
import { estimateText } from '@kindred/client/reference-builds';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ChosenBuild, sendFile } from '../../app/api/reference-builds.js';
import { FileDrop } from '../../shared/file-drop.js';
import { formatBytes } from '../../shared/format.js';
import { mayName, ReferenceName } from './reference-name-field.js';
import styles from './references.module.css';
import { faultOf, kindOf, partsOfFiles, sizeOfFiles, wordsOfKind } from './source-files.js';

/** Takes the files of a reference, says what they are and what their build takes. */
export function OwnFiles({ onBuild }: { onBuild: (build: ChosenBuild) => void }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [name, setName] = useState('');
  const fault = faultOf(files);
  const add = (list: FileList | null) => {
    const added = [...(list ?? [])];
    setFiles((before) => [...before.filter((old) => !added.some((one) => one.name === old.name)), ...added]);
  };
  const size = useQuery({
    queryKey: ['size of files', files.map((file) => [file.name, file.size, file.lastModified])],
    queryFn: () => sizeOfFiles(files),
    enabled: fault === null,
    retry: false,
  });
  const bring: ChosenBuild['bring'] = async (show) => {
    const sources = [];
    for (const [at, file] of files.entries()) {
      show({ doing: `sending ${file.name}`, share: at / files.length });
      sources.push(await sendFile(file));
    }
    return partsOfFiles(sources);
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onBuild({ name, bring });
      }}
    >
      <FileDrop label="Files of the reference" onFiles={add}>
        Drop FASTA, GAF or GPAD, and OBO here, or choose files. They may end in .gz.
      </FileDrop>
      <ChosenFiles files={files} onRemove={(gone) => setFiles(files.filter((file) => file !== gone))} />
      {files.length > 0 && fault !== null && <p role="status">{fault}</p>}
      {fault === null && (
        <p role="status">
          {size.data !== undefined
            ? `${estimateText(size.data, null)} Compare that with the free space of the service’s disk; this page can’t see it.`
            : size.isError
              ? 'A file could not be unpacked in the browser, so the size of the build is not known here. The service reads it by itself.'
              : 'Counting proteins and rows …'}
        </p>
      )}
      <ReferenceName value={name} onChange={setName} />
      <Button type="submit" disabled={fault !== null || !mayName(name)}>
        Build the reference
      </Button>
    </form>
  );
}

function ChosenFiles({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  return (
    <ul className={styles.files} aria-label="Chosen files">
      {files.map((file) => {
        const kind = kindOf(file.name);
        return (
          <li key={file.name}>
            <span>
              {kind === null ? 'Unknown' : wordsOfKind[kind]}: {file.name}, {formatBytes(file.size)}
            </span>
            <Button size="compact-sm" variant="default" onClick={() => onRemove(file)}>
              Take {file.name} away
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
