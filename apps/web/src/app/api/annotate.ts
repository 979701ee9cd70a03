import type { Reply } from '@kindred/client';
import type { Aspect } from '@kindred/contracts';
import type { BadRecords } from '@kindred/contracts/left-out';
import { api } from './client.js';

export type AnnotateLimits = Reply<'GET', '/annotate/limits'>;
export type Submission = Reply<'POST', '/annotate'>;
export type AnnotationCheck = Reply<'POST', '/annotate/check'>;
/** The choices of the visitor for an annotation. Absent ones are left to the service. */
export interface AnnotateOptions {
  method?: 'combined' | 'knn';
  /** The runner of a run that is repeated. */
  runner?: string;
  runner_parameters?: Record<string, unknown>;
  annotation_set_id?: string;
  embedding_config_id?: string;
  /** The models whose similar proteins count, too, as ids separated by commas. */
  more_embedding_config_ids?: string;
  limit_per_entry?: number;
  /** The choices of sources, as values separated by commas. */
  evidence?: string;
  sources?: string;
  aspects?: string;
  source_taxa?: string;
  exclude_taxa?: string;
  aspect?: Aspect;
  /** False leaves proteins without a similar one in the reference unanswered. */
  sequence_only?: boolean;
  /** The organism of sequences whose header names none. */
  organism?: string;
  /** Hits of the sequences, or of their structures, by another program. */
  hits?: File;
  /** The way to handle records that cannot be read. */
  bad_records?: BadRecords;
}
export type Source = { kind: 'text'; text: string } | { kind: 'file'; file: File };
/**
 * The people who find a result: with `link` whoever has the link, with `listed` everyone, with `unsaved` whoever has the link, for some
 * hours.
 */
export type Keeping = 'link' | 'listed' | 'unsaved';

export interface AnnotateInput {
  source: Source;
  /** The name of the run; undefined if the service should name the run after its proteins. */
  name: string | undefined;
  /** How the result is kept; undefined while the page does not know what this visitor may do: the service then decides. */
  keeping: Keeping | undefined;
  options: AnnotateOptions;
  /** The idempotency key, so that a second click starts nothing new. */
  key: string;
}

export const getLimits = () => api.get('/annotate/limits');
export const getReference = (taxonId?: number) =>
  api.get('/annotate/reference', { query: { taxon_id: taxonId } });

function formOf(source: Source): FormData {
  const form = new FormData();
  if (source.kind === 'file') form.set('file', source.file);
  else form.set('fasta_text', source.text);
  return form;
}

/** Asks what `annotate` would do. Nothing is stored or counted. */
export const checkAnnotation = (source: Source, options: AnnotateOptions, signal: AbortSignal) =>
  api.post('/annotate/check', {
    form: formOf(source),
    query: {
      annotation_set_id: options.annotation_set_id,
      embedding_config_id: options.embedding_config_id,
      organism: options.organism,
      bad_records: options.bad_records,
    },
    signal,
  });

/** Queues the reading of the sequences and the prediction that waits for it. */
export function annotate({ source, name, keeping, options, key }: AnnotateInput): Promise<Submission> {
  const { runner_parameters, hits, ...query } = options;
  const form = formOf(source);
  if (name) form.set('name', name);
  if (hits) form.set('hits', hits);
  if (runner_parameters) form.set('runner_parameters', JSON.stringify(runner_parameters));
  return api.post('/annotate', {
    form,
    query: {
      ...query,
      auto_predict: true,
      save_history: keeping === undefined ? undefined : keeping !== 'unsaved',
      visibility: keeping === 'unsaved' ? undefined : keeping,
    },
    headers: { 'idempotency-key': key },
  });
}

/** Fetches the sequences of proteins that the service has, as FASTA. */
export async function fastaOf(accessions: readonly string[], signal: AbortSignal): Promise<string> {
  let fasta = '';
  for (let from = 0; from < accessions.length; from += accessionsAtOnce) {
    const piece = accessions.slice(from, from + accessionsAtOnce);
    const query = { accessions: piece.join(','), format: 'fasta' } as const;
    fasta += await (await api.download('/proteins', { query, signal })).text();
  }
  return fasta;
}
/** The maximum number of accessions that the route takes. */
const accessionsAtOnce = 500;
