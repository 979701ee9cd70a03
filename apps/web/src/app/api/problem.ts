import { Problem } from '@kindred/client';

export { hasStatus, isTransient, Problem } from '@kindred/client';

/** The sentences that a page shows for any error. */
export function sentencesOf(error: unknown): {
  title: string;
  sentences: string[];
  requestId: string | null;
} {
  if (!(error instanceof Problem)) {
    const message = error instanceof Error ? error.message : String(error);
    return { title: 'Something went wrong', sentences: [message], requestId: null };
  }
  const { title, detail, errors, requestId } = error.document;
  const more = errors.length > 1 ? errors.slice(1).map((fault) => `${fault.path}: ${fault.message}`) : [];
  return { title, sentences: [detail, ...more], requestId };
}
