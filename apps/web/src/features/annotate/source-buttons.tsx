import { Button, CloseButton, FileButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { place } from '../../app/api/place.js';
import { formatBytes } from '../../shared/format.js';
import { FileIcon } from '../../shared/icons.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './annotate.module.css';

interface Props {
  file: File | null;
  onFile: (file: File | null) => void;
  onText: (text: string) => void;
}

/** Fetches three real proteins that come with the page. */
async function fetchExample(): Promise<string> {
  const response = await fetch(`${place.service}/example.fasta`);
  if (!response.ok) throw new Error(`The example could not be fetched (HTTP ${response.status}).`);
  return response.text();
}

/** Offers a file or the example instead of pasted text. */
export function SourceButtons({ file, onFile, onText }: Props) {
  const example = useMutation({ mutationFn: fetchExample, onSuccess: onText });
  return (
    <>
      <div className={styles.sources}>
        <FileButton onChange={onFile} accept=".fasta,.fa,.faa,.fas,.txt,.gz">
          {(props) => (
            <Button {...props} variant="default" leftSection={<FileIcon />}>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Button variant="default" loading={example.isPending} onClick={() => example.mutate()}>
          Load an example
        </Button>
        <span className={styles.small}>.fasta, also .gz; or drop it here</span>
      </div>
      {file !== null && (
        <div className={styles.file}>
          <FileIcon />
          <span className={styles.fileName}>{file.name}</span>
          <span className={styles.small}>{formatBytes(file.size)}</span>
          <CloseButton aria-label={`Do not use ${file.name}`} onClick={() => onFile(null)} />
        </div>
      )}
      {example.isError && <ProblemNote error={example.error} />}
    </>
  );
}
