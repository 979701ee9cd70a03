import { getJson, post } from './request.js';

export interface AnnotateLimits {
  max_upload_bytes: number;
  max_sequences: number;
  max_residues: number;
  /** null: without limit. */
  sequences_today: { limit: number; used: number } | null;
  may_save: boolean;
  unsaved_hours: number;
}

export interface Submission {
  query_set_id: string;
  embedding_job_id: string;
  predict_job_id: string | null;
  sequence_count: number;
  save_history: boolean;
  expires_at: string | null;
}

export interface AnnotateInput {
  source: { kind: 'text'; text: string } | { kind: 'file'; file: File };
  name: string;
  save: boolean;
  /** Idempotency key: a second click starts nothing new. */
  key: string;
}

export const getLimits = () => getJson<AnnotateLimits>('/annotate/limits');

/** Queues the embedding of the sequences and the prediction that waits for it. */
export function annotate({ source, name, save, key }: AnnotateInput): Promise<Submission> {
  const form = new FormData();
  if (source.kind === 'file') form.set('file', source.file);
  else form.set('fasta_text', source.text);
  if (name.trim() !== '') form.set('name', name.trim());
  return post<Submission>('/annotate', form, {
    query: { auto_predict: true, save_history: save },
    headers: { 'idempotency-key': key },
  });
}
