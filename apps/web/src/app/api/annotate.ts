import type { Reply } from '@kindred/client';
import { api } from './client.js';

export type AnnotateLimits = Reply<'GET', '/annotate/limits'>;
export type Submission = Reply<'POST', '/annotate'>;

export interface AnnotateInput {
  source: { kind: 'text'; text: string } | { kind: 'file'; file: File };
  name: string;
  save: boolean;
  /** null: the service's default. */
  visibility: AnnotateLimits['default_visibility'] | null;
  /** Idempotency key: a second click starts nothing new. */
  key: string;
}

export const getLimits = () => api.get('/annotate/limits');

/** Queues the embedding of the sequences and the prediction that waits for it. */
export function annotate({ source, name, save, visibility, key }: AnnotateInput): Promise<Submission> {
  const form = new FormData();
  if (source.kind === 'file') form.set('file', source.file);
  else form.set('fasta_text', source.text);
  if (name.trim() !== '') form.set('name', name.trim());
  return api.post('/annotate', {
    form,
    query: {
      auto_predict: true,
      save_history: save,
      visibility: (save ? visibility : null) ?? undefined,
    },
    headers: { 'idempotency-key': key },
  });
}
