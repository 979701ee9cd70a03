import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Client, type Problem, type StreamedForm } from '@kindred/client';
import { checkReply } from '@kindred/client/check';
import { type ProblemCode, ProblemError } from '@kindred/contracts';
import { startCommand } from '../ground/folders.js';

/** The command line reaches a service in this way. */
export interface ServiceAccess {
  url: string;
  apiKey: string | null;
  /** A service on this machine has this data folder. */
  dataDir?: string;
}

/**
 * Makes the client of the command line, which validates replies, and turns refusals into errors that set the
 * exit code. `waitWhenLimited` makes it wait when it reaches a limit on requests a minute.
 */
export function serviceClient(
  { url, apiKey }: ServiceAccess,
  { waitWhenLimited = false }: { waitWhenLimited?: boolean } = {},
): Client {
  return new Client({
    waitWhenLimited,
    baseUrl: url,
    headers: apiKey === null ? {} : { authorization: `ApiKey ${apiKey}` },
    check: checkReply,
    toError: (problem) => errorOf(problem, { url, apiKey }),
  });
}

export function fileForm(
  file: { name: string; bytes: Uint8Array },
  fields: Record<string, string>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name);
  return form;
}

/** A Blob reads a file in smaller pieces, which take twice the time to send. */
const pieceBytes = 1 << 20;

/** Makes a form with a file of this machine, which is read while it is sent. */
export function formOfFile(path: string): StreamedForm {
  const boundary = `kindred-${randomUUID()}`;
  const name = encodeURIComponent(basename(path));
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    async *bytes() {
      yield Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
      );
      yield* createReadStream(path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>;
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    },
  };
}

function errorOf({ document }: Problem, { url, apiKey }: ServiceAccess): ProblemError {
  const { status, code, detail, errors } = document;
  if (status === 0) {
    return new ProblemError(
      'service_unavailable',
      `No answer from ${url}: start it with "${startCommand}", or give --url.`,
    );
  }
  if (code === 'job_failed') return new ProblemError('dependency_failed', detail);
  const faults = errors
    .filter((fault) => !detail.includes(fault.message))
    .map((fault) => `${nameOf(fault.path)}: ${fault.message}`)
    .join('; ');
  const text = [detail, faults].filter(Boolean).join(' ');
  // Anonymous callers share the smallest quota by address.
  const needsKey = status === 401 || (status === 429 && apiKey === null);
  const hint = needsKey ? ' The command line takes a key by --api-key or SVC_API_KEY.' : '';
  return new ProblemError(codeOf(status), `${text}${hint}`);
}

/** Writes a JSON pointer as the name of a value: `/payload/k` is payload.k. */
const nameOf = (pointer: string): string => pointer.slice(1).replaceAll('/', '.');

/** The code decides the exit code of the command. */
function codeOf(status: number): ProblemCode {
  if (status === 401) return 'credential_missing';
  if (status === 403) return 'role_too_low';
  if (status === 404) return 'not_found';
  if (status === 503) return 'service_unavailable';
  if (status >= 500) return 'internal_error';
  return status === 409 || status === 429 ? 'conflict' : 'bad_file';
}
