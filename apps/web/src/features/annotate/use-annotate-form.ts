import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import {
  annotate,
  type AnnotateInput,
  type AnnotateLimits,
  type AnnotateOptions,
  type Keeping,
  type Source,
} from '../../app/api/annotate.js';
import { submissionKey } from '../../app/api/client.js';
import { idOfHeader, numberDuplicates, readInput, type SequenceInput } from '../../shared/sequence-input.js';
import { translateRecords } from '../../shared/translate.js';
import { obstacle } from './limit-text.js';
import { rememberRun } from './recent-runs.js';
import { missingAccessions, useCheck, useFetchedSequences } from './use-input-look.js';

/** What is in the form, what the service says of it, and what its buttons do. */
export function useAnnotateForm(limits: AnnotateLimits | undefined) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [keeping, setKeeping] = useState<Keeping | null>(null);
  const [options, setOptions] = useState<AnnotateOptions>({});
  const [isMissing, setIsMissing] = useState(false);
  const input = useMemo(() => readInput(text), [text]);
  const fetched = useFetchedSequences(input);
  const source = sourceOf(file, input, fetched.data);
  const isClean = file !== null || obstacle(input, undefined) === null;
  const check = useCheck(isClean ? source : null, options);
  const start = useStart();
  const blocked = file === null && input.kind !== 'empty' ? obstacle(input, limits) : null;
  const suggestedName = file === null ? input.name : file.name;

  const takeFile = (next: File | null) => {
    setFile(next);
    setIsMissing(false);
    start.reset();
  };
  const takeText = (next: string) => {
    setText(next);
    takeFile(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsMissing(source === null && input.kind !== 'accessions');
    if (source === null || blocked !== null) return;
    start.mutate({
      source,
      name: name.trim() || suggestedName,
      keeping: limits?.may_save === true ? (keeping ?? limits.default_visibility) : 'unsaved',
      options,
      key: submissionKey(),
    });
  };
  return {
    text,
    file,
    input,
    name,
    setName,
    suggestedName,
    keeping: keeping ?? limits?.default_visibility ?? 'link',
    setKeeping,
    options,
    setOptions,
    check,
    start,
    submit,
    takeFile,
    takeText,
    number: () => takeText(numberDuplicates(text)),
    translate: (ids: readonly string[]) => takeText(translateRecords(input.fasta, new Set(ids), idOfHeader)),
    missing: fetched.data === undefined ? [] : missingAccessions(input.accessions, fetched.data),
    isFetchingSequences: input.kind === 'accessions' && fetched.isFetching,
    fault: isMissing ? 'Paste a sequence or accessions, choose a file, or load the example.' : blocked,
  };
}

/** What is sent; null while there is nothing to send. */
function sourceOf(file: File | null, input: SequenceInput, fetched: string | undefined): Source | null {
  if (file !== null) return { kind: 'file', file };
  if (input.kind === 'empty') return null;
  if (input.kind !== 'accessions') return { kind: 'text', text: input.fasta };
  return fetched === undefined || fetched === '' ? null : { kind: 'text', text: fetched };
}

function useStart() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (input: AnnotateInput) => annotate(input),
    onSuccess: (submission, input) => {
      const jobId = submission.predict_job_id ?? submission.embedding_job_id;
      rememberRun({
        jobId,
        name: input.name,
        sequences: submission.sequence_count,
        startedAt: new Date().toISOString(),
        expiresAt: submission.expires_at,
      });
      return navigate({ to: '/progress/$jobId', params: { jobId } });
    },
  });
}
