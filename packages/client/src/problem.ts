/** A problem document (RFC 9457) of the service. */
export interface ProblemDocument {
  /** The status of the reply; 0 means that the service did not answer. */
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
  constructor(document: ProblemDocument, options?: ErrorOptions) {
    super(document.detail, options);
    this.name = 'Problem';
    this.document = document;
  }
}

const unreachable: ProblemDocument = {
  status: 0,
  title: 'Kindred is not responding',
  detail: 'The service did not answer. Check that it runs and that you are online, then try again.',
  code: 'no_answer',
  errors: [],
  requestId: null,
  retryAfterSeconds: null,
};

export function noAnswer(cause?: unknown): Problem {
  return new Problem(unreachable, { cause });
}

/** Reads the problem of a refusal. A proxy between client and service may send something else, which gets a sentence, too. */
export async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  const members = isRecord(body) ? body : {};
  const text = (name: string) => {
    const value = members[name];
    return typeof value === 'string' ? value : null;
  };
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

/** Says whether a retry may help: nothing answered, or the service itself failed. */
export function isTransient(error: unknown): boolean {
  return error instanceof Problem && (error.document.status === 0 || error.document.status >= 500);
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Problem && error.document.status === status;
}
