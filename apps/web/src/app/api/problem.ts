import { Problem } from '@kindred/client';

export { hasStatus, isTransient, Problem } from '@kindred/client';

/** Returns the sentences that a page shows for any error. */
export function sentencesOf(error: unknown): {
  title: string;
  sentences: string[];
  requestId: string | null;
} {
  if (!(error instanceof Problem)) {
    const message = error instanceof Error ? error.message : String(error);
    return { title: 'Something went wrong', sentences: [message], requestId: null };
  }
  const { title, status, detail, errors } = error.document;
  const more = errors.length > 1 ? errors.slice(1).map((fault) => `${fault.path}: ${fault.message}`) : [];
  // The request id is shown for faults of the service, because only the operator can help with those.
  const requestId = status >= 500 ? error.document.requestId : null;
  return { title, sentences: [detail, ...more], requestId };
}
