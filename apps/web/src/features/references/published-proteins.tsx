import { Button, NativeSelect, TextInput } from '@mantine/core';
import {
  defaultModel,
  downloadSentence,
  estimateText,
  megabytes,
  nameOfSelections,
  sizeOfPublished,
} from '@kindred/client/reference-builds';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ChosenBuild, downloadParts, planDownload } from '../../app/api/reference-builds.js';
import { plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { mayName, ReferenceName } from './reference-name-field.js';
import styles from './references.module.css';

const other = 'other';
const choices = [
  { value: 'swissprot', label: 'Swiss-Prot: reviewed proteins of all organisms' },
  { value: 'taxon:9606', label: 'Human' },
  { value: 'taxon:10090', label: 'Mouse' },
  { value: 'taxon:10116', label: 'Rat' },
  { value: 'taxon:7955', label: 'Zebrafish' },
  { value: 'taxon:7227', label: 'Fruit fly (Drosophila melanogaster)' },
  { value: 'taxon:6239', label: 'Nematode (Caenorhabditis elegans)' },
  { value: 'taxon:3702', label: 'Thale cress (Arabidopsis thaliana)' },
  { value: 'taxon:559292', label: 'Baker’s yeast (Saccharomyces cerevisiae S288C)' },
  { value: 'taxon:83333', label: 'Escherichia coli K-12' },
  { value: other, label: 'Another organism' },
];

/** Chooses published proteins, and says what is downloaded before anything is. */
export function PublishedProteins({ onBuild }: { onBuild: (build: ChosenBuild) => void }) {
  const [choice, setChoice] = useState('swissprot');
  const [taxon, setTaxon] = useState('');
  const [release, setRelease] = useState('');
  const plan = useMutation({
    mutationFn: (asked: { selection: string; release: string }) =>
      planDownload(asked.selection, asked.release),
  });
  const selection = choice === other ? `taxon:${taxon}` : choice;
  return (
    <div className={styles.form}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          plan.mutate({ selection, release: choice === 'swissprot' ? release : '' });
        }}
      >
        <NativeSelect
          label="Proteins"
          data={choices}
          value={choice}
          onChange={(event) => {
            setChoice(event.currentTarget.value);
            plan.reset();
          }}
        />
        {choice === other && (
          <TextInput
            label="Number of the organism in the NCBI taxonomy"
            description="Such as 4932. uniprot.org/taxonomy finds it by name."
            required
            pattern="[1-9][0-9]{0,8}"
            value={taxon}
            onChange={(event) => {
              setTaxon(event.currentTarget.value);
              plan.reset();
            }}
          />
        )}
        {choice === 'swissprot' && (
          <TextInput
            label="Release of Swiss-Prot"
            description="Such as 2022_04; empty: the current one"
            pattern="[0-9]{4}_[0-9]{2}"
            value={release}
            onChange={(event) => {
              setRelease(event.currentTarget.value);
              plan.reset();
            }}
          />
        )}
        {plan.data === undefined && (
          <Button type="submit" loading={plan.isPending}>
            See what is downloaded
          </Button>
        )}
      </form>
      {plan.isError && (
        <>
          <ProblemNote error={plan.error} title="The download could not be planned" />
          <p>Nothing was downloaded. Try again later, or build from your own files.</p>
        </>
      )}
      {plan.data !== undefined && <Plan selection={selection} files={plan.data} onBuild={onBuild} />}
    </div>
  );
}

interface PlanProps {
  selection: string;
  files: readonly PublishedFile[];
  onBuild: (build: ChosenBuild) => void;
}

function Plan({ selection, files, onBuild }: PlanProps) {
  const [name, setName] = useState(nameOfSelections([selection]));
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onBuild({ name, bring: (show) => downloadParts(files, show) });
      }}
    >
      <ul className={styles.files} aria-label="Files to download">
        {files.map((file) => (
          <li key={`${file.kind} ${file.url} ${file.query}`}>
            {file.kind.replaceAll('_', ' ')}: {file.origin}
            {file.release === null ? '' : `, ${file.release}`},{' '}
            {file.size_bytes === null ? plural(file.proteins ?? 0, 'protein') : megabytes(file.size_bytes)}
            {file.sha256 === null ? '' : ' (here already)'}
          </li>
        ))}
      </ul>
      <p role="status">
        {downloadSentence(files)} {estimateText(sizeOfPublished(files, defaultModel), null)} Compare that with
        the free space of the service’s disk; this page can’t see it.
      </p>
      <ReferenceName value={name} onChange={setName} />
      <Button type="submit" disabled={!mayName(name)}>
        Download and build
      </Button>
    </form>
  );
}
