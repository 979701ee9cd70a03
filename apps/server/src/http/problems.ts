import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { type ProblemCode, ProblemError, problemSlugs, requestId, requestIdHeader } from '@kindred/contracts';
import { maxBodyBytes } from '@kindred/contracts/route';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requestIdField } from '../telemetry/log.js';
import { requestIdOf } from '../telemetry/request-id.js';
import { type ConnectionFault, connectionFaultOf } from '../store/postgres/connection-fault.js';

export { absent, absentReference, fieldProblem, validationProblem } from '@kindred/contracts';

export const problemMediaType = 'application/problem+json';

/** Every problem response has this body (RFC 9457). */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: '/problems/<slug>, a page that explains the problem' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().meta({ description: 'Path of the request' }),
    code: z.string().meta({ description: 'Stable cause within the slug' }),
    errors: z
      .array(
        z.object({
          path: z.string().meta({ description: 'JSON pointer' }),
          message: z.string(),
          code: z.string(),
        }),
      )
      .optional(),
    request_id: requestId,
  })
  .meta({ id: 'Problem' });

/**
 * Turns any thrown value into a ProblemError. An unforeseen error becomes internal_error and leaks nothing.
 */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (typeof code === 'string' && code.startsWith('FST_'))
    return frameworkProblem(code, statusCode ?? 500, message ?? '');
  const fault = connectionFaultOf(error);
  if (fault !== null) return connectionProblem(fault, error);
  // Class 22 of PostgreSQL's codes means a value that no column of the type can hold.
  if (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)) {
    return new ProblemError(
      'validation_failed',
      'A value cannot be stored: a character or a number out of range.',
      {
        cause: error,
      },
    );
  }
  // AbortSignal.timeout gives this reason; a route uses it to limit the reading and computing for one
  // request.
  if ((error as Error).name === 'TimeoutError') return tooLong(error);
  if (statusCode === 400)
    return new ProblemError('malformed_request', message ?? 'The request could not be read.');
  return new ProblemError(
    'internal_error',
    'The service failed. The log has the details under the request id.',
    {
      cause: error,
    },
  );
}

function tooLong(cause: unknown): ProblemError {
  const detail =
    'The answer took longer than the service gives to one question. Ask for less, or try again when the service has less to do.';
  return new ProblemError('service_unavailable', detail, { headers: { 'retry-after': '60' }, cause });
}

function frameworkProblem(code: string, status: number, message: string): ProblemError {
  if (status === 413)
    return new ProblemError(
      'payload_too_large',
      `The body is larger than the route accepts: JSON has at most ${maxBodyBytes >> 10} KiB, an upload SVC_MAX_UPLOAD_BYTES.`,
    );
  if (status === 415 || code === 'FST_INVALID_MULTIPART_CONTENT_TYPE' || status === 406) {
    return new ProblemError(
      'unsupported_media_type',
      `${message}. Send application/json, or multipart/form-data to uploads.`,
    );
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new ProblemError('not_found', 'Nothing here has a name of more than 300 characters.');
  if (status >= 400 && status < 500) return new ProblemError('malformed_request', message);
  return new ProblemError(
    'internal_error',
    'The service failed. The log has the details under the request id.',
  );
}

/** A retry may succeed, so each problem says when to try again. */
const connectionProblems: Record<
  ConnectionFault,
  { code: ProblemCode; detail: string; retryAfterS: number }
> = {
  unreachable: {
    code: 'service_unavailable',
    detail: 'The database cannot be reached. Try again soon.',
    retryAfterS: 5,
  },
  contended: {
    code: 'service_unavailable',
    detail: 'Another request changed the same rows. Try again.',
    retryAfterS: 1,
  },
  closed: {
    code: 'service_unavailable',
    detail: 'The service is stopping. Try again soon.',
    retryAfterS: 5,
  },
  exhausted: {
    code: 'out_of_resources',
    detail: 'The database has run out of disk or memory. Try again later, or tell the operator.',
    retryAfterS: 60,
  },
};

function connectionProblem(fault: ConnectionFault, cause: unknown): ProblemError {
  const { code, detail, retryAfterS } = connectionProblems[fault];
  return new ProblemError(code, detail, { headers: { 'retry-after': String(retryAfterS) }, cause });
}

export function problemBody(
  problem: ProblemError,
  request: { url: string; id: string; server: { basePath: string } },
): z.infer<typeof problemSchema> {
  const { slug, status } = problem;
  const { basePath } = request.server;
  return {
    type: `${basePath}/problems/${slug}`,
    title: problemSlugs[slug].title,
    status,
    detail: problem.message,
    // The query is left out, because it may hold a secret.
    instance: basePath + request.url.split('?', 1)[0],
    code: problem.code,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
    request_id: request.id,
  };
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = problemOf(error);
  const { code, status } = problem;
  if (status >= 500) request.log.error({ err: problem.cause ?? error, code }, 'request failed');
  else request.log.debug({ code, status, detail: problem.message }, 'request refused');
  for (const [name, value] of Object.entries(problem.headers)) reply.header(name, value);
  if (problem.status === 401) reply.header('www-authenticate', 'ApiKey, Bearer');
  reply.removeHeader('content-disposition').removeHeader('content-encoding');
  return (
    reply
      .code(problem.status)
      // A request that never reached a route has met no hook, so the headers are set here.
      .header(requestIdHeader, request.id)
      .header('cache-control', 'no-store')
      .type(problemMediaType)
      .send(JSON.stringify(problemBody(problem, request)))
  );
}

/** Replies 400 or 431 to malformed HTTP before routing. */
export function refuseSyntax(
  this: Pick<FastifyInstance, 'log' | 'basePath'>,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ProblemError(
          'headers_too_large',
          `The address and the header fields have more than ${maxHeaderSize >> 10} KiB together. Send long lists in the body of the request.`,
        )
      : new ProblemError('malformed_request', 'The bytes are not an HTTP request that can be read.');
  const id = requestIdOf({});
  this.log.debug({ err: error, [requestIdField]: id }, 'request refused');
  const body = JSON.stringify(problemBody(problem, { url: '', id, server: this }));
  const head = [
    `HTTP/1.1 ${problem.status} ${problemSlugs[problem.slug].title}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
