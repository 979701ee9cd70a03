import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { annotate, type AnnotateInput, type AnnotateLimits, getLimits } from '../../app/api/annotate.js';
import { submissionKey } from '../../app/api/client.js';
import { glanceAtFasta } from '../../shared/fasta.js';
import { plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useAccount } from '../account/use-account.js';
import styles from './annotate.module.css';
import { limitSentences, obstacle } from './limit-text.js';
import { rememberRun } from './recent-runs.js';
import { SourceButtons } from './source-buttons.js';

/** Sequences in, a job out. */
export function AnnotateForm() {
  const form = useAnnotateForm();
  const { text, file, glance, limits, start } = form;
  return (
    <Panel>
      <form
        className={styles.form}
        onSubmit={form.submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (event.dataTransfer.files[0] !== undefined) form.takeFile(event.dataTransfer.files[0]);
        }}
      >
        <SourceButtons file={file} onFile={form.takeFile} onText={form.takeText} />
        {file === null && (
          <Textarea
            label="Protein sequences in FASTA format"
            placeholder={'>my_protein\nMKTAYIAKQRQISFVKSHFSRQ...'}
            classNames={{ input: styles.fasta }}
            rows={12}
            spellCheck={false}
            autoCapitalize="off"
            value={text}
            error={form.fault}
            onChange={(event) => form.takeText(event.currentTarget.value)}
          />
        )}
        {file === null && glance.sequences > 0 && (
          <p className={styles.small}>
            {plural(glance.sequences, 'sequence')}, {plural(glance.residues, 'residue')}
          </p>
        )}
        <TextInput
          label="Name of this run"
          description="Optional; helps you to find it again"
          maxLength={255}
          value={form.name}
          onChange={(event) => form.setName(event.currentTarget.value)}
        />
        <Keeping
          save={form.save}
          onSave={form.setSave}
          visibility={form.visibility}
          onVisibility={form.setVisibility}
          limits={limits.data}
        />
        {start.isError && <ProblemNote error={start.error} title="Not started" />}
        <Button type="submit" size="md" loading={start.isPending}>
          Annotate
        </Button>
        <LimitList limits={limits} signedIn={form.signedIn} />
      </form>
    </Panel>
  );
}

function useAnnotateForm() {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [save, setSave] = useState(true);
  const [visibility, setVisibility] = useState<AnnotateInput['visibility']>(null);
  const [missing, setMissing] = useState(false);
  const signedIn = Boolean(useAccount().data);
  const limits = useQuery({ queryKey: ['annotate-limits', signedIn], queryFn: getLimits, staleTime: 0 });
  const glance = useMemo(() => glanceAtFasta(text), [text]);
  const start = useStart();
  const blocked = file === null && text.trim() !== '' ? obstacle(glance, limits.data) : null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const empty = file === null && text.trim() === '';
    setMissing(empty);
    if (empty || blocked !== null) return;
    start.mutate({
      source: file === null ? { kind: 'text', text } : { kind: 'file', file },
      name,
      save: save && limits.data?.may_save === true,
      visibility,
      key: submissionKey(),
    });
  };
  const takeFile = (next: File | null) => {
    setFile(next);
    setMissing(false);
    start.reset();
  };
  const takeText = (next: string) => {
    setText(next);
    takeFile(null);
  };
  const fault = missing ? 'Paste sequences, choose a file, or load the example.' : blocked;
  return {
    text,
    file,
    name,
    setName,
    save,
    setSave,
    visibility,
    setVisibility,
    signedIn,
    limits,
    glance,
    start,
    submit,
    takeFile,
    takeText,
    fault,
  };
}

function useStart() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (input: AnnotateInput) => annotate(input),
    onSuccess: (submission, input) => {
      const jobId = submission.predict_job_id ?? submission.embedding_job_id;
      rememberRun({
        jobId,
        name: input.name.trim() || (input.source.kind === 'file' ? input.source.file.name : ''),
        sequences: submission.sequence_count,
        startedAt: new Date().toISOString(),
        expiresAt: submission.expires_at,
      });
      return navigate({ to: '/progress/$jobId', params: { jobId } });
    },
  });
}

function LimitList({ limits, signedIn }: { limits: UseQueryResult<AnnotateLimits>; signedIn: boolean }) {
  if (limits.data === undefined) {
    return limits.isError ? <ProblemNote error={limits.error} title="The limits could not be read" /> : null;
  }
  return (
    <ul className={styles.limits}>
      {limitSentences(limits.data, signedIn).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

interface KeepingProps {
  save: boolean;
  onSave: (save: boolean) => void;
  visibility: AnnotateInput['visibility'];
  onVisibility: (visibility: AnnotateInput['visibility']) => void;
  limits: AnnotateLimits | undefined;
}

/** Whether the result is kept, and who finds it, or for how long it is there. */
function Keeping({ save, onSave, visibility, onVisibility, limits }: KeepingProps) {
  if (limits === undefined) return null;
  if (limits.may_save) {
    return (
      <>
        <Checkbox
          label="Keep the result in the list of results"
          description={`Otherwise it is reachable by its link alone, for ${plural(limits.unsaved_hours, 'hour')}`}
          checked={save}
          onChange={(event) => onSave(event.currentTarget.checked)}
        />
        <Checkbox
          label="Show it to everyone"
          description="Otherwise only you and the operators find it in lists. Anyone who has its link can read it either way."
          disabled={!save}
          checked={save && (visibility ?? limits.default_visibility) === 'listed'}
          onChange={(event) => onVisibility(event.currentTarget.checked ? 'listed' : 'link')}
        />
      </>
    );
  }
  return (
    <p className={styles.small}>
      The result is reachable by its link alone and is deleted after {plural(limits.unsaved_hours, 'hour')}.{' '}
      <Link to="/sign-in">Sign in</Link> to keep it.
    </p>
  );
}
