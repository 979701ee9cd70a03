/** A problem document (RFC 9457) of the service, as far as pages show it. */
export interface ProblemDocument {
  status: number;
  title: string;
  detail: string;
  code: string;
  errors: { path: string; message: string }[];
  requestId: string | null;
  retryAfterSeconds: number | null;
}

/** A refusal of the service, or no answer at all (status 0). */
export class Problem extends Error {
  readonly document: ProblemDocument;
  constructor(document: ProblemDocument) {
    super(document.detail);
    this.name = 'Problem';
    this.document = document;
  }
}

const unreachable: ProblemDocument = {
  status: 0,
  title: 'No answer',
  detail: 'The service did not answer. Check that it runs and that you are online, then try again.',
  code: 'no_answer',
  errors: [],
  requestId: null,
  retryAfterSeconds: null,
};

export function noAnswer(): Problem {
  return new Problem(unreachable);
}

/** Reads the problem out of an answer that is not OK; an answer of something else between us still gets a sentence. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  const members = isRecord(body) ? body : {};
  const text = (name: string) => (typeof members[name] === 'string' ? (members[name] as string) : null);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Problem({
    status: response.status,
    title: text('title') ?? `HTTP ${response.status}`,
    detail: text('detail') ?? `The service answered with HTTP ${response.status} and no explanation.`,
    code: text('code') ?? 'unknown',
    errors: fieldFaults(members.errors),
    requestId: text('request_id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

function fieldFaults(errors: unknown): { path: string; message: string }[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter(isRecord)
    .map((fault) => ({ path: String(fault.path ?? ''), message: String(fault.message ?? '') }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

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

/** Asking again may help: nothing answered, or the service itself failed. */
export function isTransient(error: unknown): boolean {
  return error instanceof Problem && (error.document.status === 0 || error.document.status >= 500);
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Problem && error.document.status === status;
}
