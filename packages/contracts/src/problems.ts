/**
 * The error catalogue. Every refusal of the service has one of these codes, and a code is never used again for another meaning. `slug` is
 * the page under /problems/, and `code` is the cause within that page.
 */
export const problemSlugs = {
  'bad-request': { status: 400, title: 'Bad Request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  'not-found': { status: 404, title: 'Not Found' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  conflict: { status: 409, title: 'Conflict' },
  'payload-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  'unprocessable-entity': { status: 422, title: 'Unprocessable Entity' },
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  'request-header-fields-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  'internal-server-error': { status: 500, title: 'Internal Server Error' },
  'service-unavailable': { status: 503, title: 'Service Unavailable' },
} as const;
export type ProblemSlug = keyof typeof problemSlugs;
export type ProblemStatus = (typeof problemSlugs)[ProblemSlug]['status'];

/** The slug of each cause, and its description on the page /problems/<slug>. */
export const problemCodes = {
  malformed_request: ['bad-request', 'The request could not be read: not JSON, or a broken multipart body.'],
  credential_missing: [
    'unauthorized',
    'The route needs a credential: Authorization: ApiKey, X-Api-Key, Bearer, or a session.',
  ],
  credential_invalid: ['unauthorized', 'The credential is unknown, expired, revoked or wrongly signed.'],
  invalid_credentials: ['unauthorized', 'E-mail and password do not match an account.'],
  role_too_low: ['forbidden', 'The credential is valid, but its role is below the floor of the route.'],
  not_owner: ['forbidden', 'The row belongs to someone else; an operator may act on any.'],
  origin_refused: ['forbidden', 'A write from a browser must come from a page of this service.'],
  account_pending_approval: ['forbidden', 'An administrator has not approved the account yet.'],
  account_deactivated: ['forbidden', 'The account was deactivated.'],
  not_found: ['not-found', 'No such row or route.'],
  artifact_not_found: ['not-found', 'The artifact store has no object at this address.'],
  smtp_not_configured: ['not-found', 'Mail is not set up on this service (SVC_SMTP_*).'],
  method_not_allowed: ['method-not-allowed', 'The path exists, but not with this method.'],
  conflict: ['conflict', 'The request contradicts the current state of the row.'],
  already_exists: ['conflict', 'A row of this name or identity exists.'],
  files_missing: [
    'conflict',
    'Files that the request names by their SHA-256 were not sent yet; `errors` names each.',
  ],
  in_use: ['conflict', 'Other rows need this one; the detail names them.'],
  schema_mismatch: [
    'conflict',
    'The model was trained on other features than the service computes; the detail names both fingerprints.',
  ],
  last_admin: ['conflict', 'The last active administrator cannot be demoted, deactivated or deleted.'],
  nothing_to_annotate_with: ['conflict', 'No ontology snapshot or no annotation set is loaded yet.'],
  payload_too_large: [
    'payload-too-large',
    'The body is larger than the service accepts (SVC_MAX_UPLOAD_BYTES).',
  ],
  decompressed_too_large: ['payload-too-large', 'The gzip file unpacks to more than the service accepts.'],
  headers_too_large: [
    'request-header-fields-too-large',
    'The address and the header fields of the request are longer than 16 KiB together.',
  ],
  unsupported_media_type: [
    'unsupported-media-type',
    'The Content-Type is not accepted here, or the body has a Content-Encoding.',
  ],
  validation_failed: [
    'unprocessable-entity',
    'The request does not fit the schema; errors[] has a path and a sentence for each fault.',
  ],
  unknown_operation: ['unprocessable-entity', 'No operation of this name is registered.'],
  unknown_queue: [
    'unprocessable-entity',
    'No queue of this name exists, or the operation does not run on it.',
  ],
  unknown_model: ['unprocessable-entity', 'No installed embedding backend offers this model.'],
  backend_unavailable: [
    'unprocessable-entity',
    'The embedding backend, or an optional package, is not installed, failed to load, or did not return within its limit.',
  ],
  invalid_artifact_key: [
    'unprocessable-entity',
    'The text is not a key of an artifact: a relative path of plain segments.',
  ],
  artifact_uri_refused: [
    'unprocessable-entity',
    'The address is not one of the artifact store that this service uses (SVC_ARTIFACT_*).',
  ],
  bad_fasta: [
    'unprocessable-entity',
    'The FASTA text is not usable; the detail names record, line and letter.',
  ],
  bad_file: [
    'unprocessable-entity',
    'A file is not in the format that was expected; the detail names the line.',
  ],
  idempotency_mismatch: ['unprocessable-entity', 'The Idempotency-Key was used before with another body.'],
  address_refused: [
    'unprocessable-entity',
    'The service may not use this address (SVC_FETCH_ALLOWED_HOSTS, SVC_WEBHOOK_ALLOWED_HOSTS, SVC_IMPORT_DIR).',
  ],
  nothing_loaded: [
    'unprocessable-entity',
    'A load kept none of the rows that it read; the detail counts them by reason.',
  ],
  runner_failed: [
    'unprocessable-entity',
    'A runner threw an error, or gave what does not fit its contract; the detail names the runner and says which.',
  ],
  fetch_failed: ['unprocessable-entity', 'A remote file could not be fetched.'],
  scan_failed: ['unprocessable-entity', 'InterProScan failed; the detail has the end of its output.'],
  quota_exceeded: ['too-many-requests', 'The daily quota is used up; Retry-After says when it starts again.'],
  rate_limited: ['too-many-requests', 'Too many requests; Retry-After says how long to wait.'],
  too_many_failures: [
    'too-many-requests',
    'Too many failed logins for this account from this address; wait and try again.',
  ],
  internal_error: [
    'internal-server-error',
    'A fault of the service; the log has the details under the request id.',
  ],
  service_unavailable: [
    'service-unavailable',
    'A part of the service (database, broker) is not reachable, or an answer took too long.',
  ],
  being_counted: [
    'service-unavailable',
    'The service makes counts that the answer needs, once for each annotation set; Retry-After says when to ask again.',
  ],
  artifact_store_failed: [
    'service-unavailable',
    'The artifact store failed to store or return the bytes, after retries; the detail has its message.',
  ],
  lease_expired: [
    'internal-server-error',
    'The worker of a job vanished more often than the service retries.',
  ],
  batch_failed: ['internal-server-error', 'A batch of the job failed after all retries.'],
  deadline_passed: ['internal-server-error', 'The job did not finish within its deadline.'],
  dependency_failed: ['conflict', 'A job that this one waits for did not succeed.'],
  out_of_resources: ['service-unavailable', 'Memory, disk or a device ran out.'],
} as const satisfies Record<string, readonly [ProblemSlug, string]>;
export type ProblemCode = keyof typeof problemCodes;

/** One fault of a validation. `path` is a JSON pointer into the body, the query or the path parameters. */
export interface FieldFault {
  path: string;
  message: string;
  code: string;
}

/** A refusal, wherever it arises: HTTP turns it into a problem document, a worker into a job's error. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldFault[] | undefined;
  /** The response headers, for instance Retry-After. */
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: FieldFault[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'ProblemError';
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }

  /** Recognises a problem by its shape, because a plugin may bring a copy of this package, whose class is another one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(value instanceof Error)) return false;
    // Classes that extend this one are recognised in the usual way.
    if (this !== ProblemError) return Function.prototype[Symbol.hasInstance].call(this, value);
    const { name, code } = value as Error & { code?: unknown };
    return name === 'ProblemError' && typeof code === 'string' && Object.hasOwn(problemCodes, code);
  }

  get slug(): ProblemSlug {
    return problemCodes[this.code][0];
  }

  get status(): number {
    return problemSlugs[this.slug].status;
  }
}

/** Makes a validation_failed for one field. */
export function fieldProblem(path: string, message: string, code = 'invalid'): ProblemError {
  return validationProblem([{ path, message, code }]);
}

/** The number of faults is limited, because a body of 256 KiB can have 50,000. */
const mostFaultsShown = 100;

export function validationProblem(errors: FieldFault[]): ProblemError {
  const first = errors[0] as FieldFault;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first.path === '' ? '' : `${first.path}: `;
  return new ProblemError('validation_failed', `${where}${first.message}${more}`, {
    errors: errors.slice(0, mostFaultsShown),
  });
}

/** Makes a 404 for a row that the path names: `absent('job', id)`. */
export function absent(what: string, id: string): ProblemError {
  return new ProblemError('not_found', `No ${what} ${id}.`);
}

/** Makes a 422 for a row that a field of the body or of the query names. */
export function absentReference(field: string, what: string, id: string): ProblemError {
  return fieldProblem(`/${field}`, `there is no ${what} ${id}`, 'not_found');
}
