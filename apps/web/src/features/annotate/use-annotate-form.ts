import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useEffectEvent, useMemo, useState } from 'react';
import {
  annotate,
  type AnnotateInput,
  type AnnotateLimits,
  type AnnotateOptions,
  type Keeping,
  type Source,
} from '../../app/api/annotate.js';
import { submissionKey } from '../../app/api/client.js';
import { nothing, type SequenceInput } from '../../shared/sequence-input.js';
import type { Rewriting } from '../../shared/rewrite-records.js';
import { obstacle } from './limit-text.js';
import { rememberRun } from './recent-runs.js';
import {
  missingAccessions,
  useCheck,
  useFetchedSequences,
  useFileLook,
  useTextLook,
} from './use-input-look.js';

const route = getRouteApi('/');
/** The list of runs is loaded only to repeat one. */
const runs = () => import('../../app/api/predictions.js');
/** The genetic code is loaded when it is needed, because few visitors have DNA, or repeated names. */
const rewriting = () => import('../../shared/rewrite-records.js');

export interface SettingsOfRun {
  options: AnnotateOptions;
  setOptions: (options: AnnotateOptions) => void;
}

/** Holds the state of the form: its content, the service's findings, and the actions of its buttons. */
export function useAnnotateForm(limits: AnnotateLimits | undefined, { options, setOptions }: SettingsOfRun) {
  const [name, setName] = useState('');
  const [keeping, setKeeping] = useState<Keeping | null>(null);
  useSettingsOfRun(setOptions);
  const [isMissing, setIsMissing] = useState(false);
  const start = useStart();
  const given = useGiven(() => {
    setIsMissing(false);
    start.reset();
  });
  const { file, input, source } = given;
  const isClean = !given.isLooking && obstacle(input, undefined, options.bad_records) === null;
  const check = useCheck(isClean ? source : null, options);
  const blocked = input.kind === 'empty' ? null : obstacle(input, limits, options.bad_records);
  const suggestedName = file === null ? input.name : file.name;
  const usual = limits?.default_visibility ?? 'link';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsMissing(source === null && input.kind !== 'accessions' && !given.isLooking);
    if (source === null || blocked !== null) return;
    start.mutate({
      source,
      name: name.trim() || file?.name,
      keeping: keepingOf(limits, keeping),
      options,
      key: submissionKey(),
    });
  };
  return {
    ...given,
    name,
    setName,
    suggestedName,
    keeping: keeping ?? usual,
    setKeeping,
    options,
    setOptions,
    check,
    start,
    submit,
    fault: isMissing ? 'Paste a sequence or accessions, choose a file, or load the example.' : blocked,
  };
}

/**
 * Returns how the run is kept; undefined while it is not known what the visitor may do. The service decides for visitors who are faster.
 */
function keepingOf(limits: AnnotateLimits | undefined, chosen: Keeping | null): Keeping | undefined {
  if (limits === undefined) return undefined;
  return limits.may_save ? (chosen ?? limits.default_visibility) : 'unsaved';
}

/** Holds the sequences of the form: a text, a file, those of accessions, or those of an earlier run. */
function useGiven(onChange: () => void) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const repeated = useRepeat((fasta) => setText((before) => (before === '' ? fasta : before)));
  const typed = useTextLook(text);
  const look = useFileLook(file);
  const input = (file === null ? typed : look.data) ?? nothing;
  const fetched = useFetchedSequences(input);
  // The object stays the same as long as nothing changes, because every new one is checked again.
  const source = useMemo(() => sourceOf(file, input, fetched.data), [file, input, fetched.data]);
  const takeFile = (next: File | null) => {
    setFile(next);
    onChange();
  };
  const takeText = (next: string) => {
    setText(next);
    takeFile(null);
  };
  return {
    text,
    file,
    input,
    source,
    repeated,
    takeFile,
    takeText,
    isLooking: look.isFetching || (file === null && typed === null),
    rewrite: async (change: Rewriting) => {
      const { rewriteRecords } = await rewriting();
      const changed = await rewriteRecords(file ?? new Blob([input.fasta]), change);
      if (file === null) takeText(await changed.text());
      else takeFile(new File([changed], file.name.replace(/\.gz$/i, '')));
    },
    missing: fetched.data === undefined ? [] : missingAccessions(input.accessions, fetched.data),
    isFetchingSequences: input.kind === 'accessions' && fetched.isFetching,
  };
}

/** Puts the sequences of the run in the address into the field, once. */
function useRepeat(onFasta: (fasta: string) => void) {
  const { repeat } = route.useSearch();
  const uploaded = useQuery({
    queryKey: ['uploaded-fasta', repeat],
    queryFn: async () => (await runs()).getUploadedFasta(repeat ?? ''),
    enabled: repeat !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const fill = useEffectEvent(onFasta);
  useEffect(() => {
    if (uploaded.data !== undefined) fill(uploaded.data);
  }, [uploaded.data]);
  return uploaded;
}

/** Puts the settings of the run that the address names into the form, once. */
function useSettingsOfRun(onOptions: (options: AnnotateOptions) => void) {
  const { like } = route.useSearch();
  const run = useQuery({
    queryKey: ['settings-of-run', like],
    queryFn: async () => {
      const [{ optionsOf }, { getPredictionSet }] = await Promise.all([
        import('./options-of-run.js'),
        runs(),
      ]);
      return optionsOf(await getPredictionSet(like ?? ''));
    },
    enabled: like !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const fill = useEffectEvent(onOptions);
  useEffect(() => {
    if (run.data !== undefined) fill(run.data);
  }, [run.data]);
}

/** Returns the source that would be sent; null while there is nothing to send. */
function sourceOf(file: File | null, input: SequenceInput, fetched: string | undefined): Source | null {
  if (input.kind === 'accessions')
    return fetched === undefined || fetched === '' ? null : { kind: 'text', text: fetched };
  if (file !== null) return { kind: 'file', file };
  return input.kind === 'empty' ? null : { kind: 'text', text: input.fasta };
}

function useStart() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (input: AnnotateInput) => annotate(input),
    onSuccess: (submission) => {
      const jobId = submission.predict_job_id ?? submission.embedding_job_id;
      rememberRun({
        jobId,
        name: submission.name,
        sequences: submission.sequence_count,
        startedAt: new Date().toISOString(),
        expiresAt: submission.expires_at,
      });
      return navigate({ to: '/progress/$jobId', params: { jobId } });
    },
  });
}
