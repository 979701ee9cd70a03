import { routeRow } from '@kindred/contracts';
import { z } from 'zod';
import { Problem } from './problem.js';
import type { ReplyCheck } from './types.js';

/**
 * Validates a reply by its schema in the contracts. The function is in a module of its own, because it brings zod and all schemas with
 * it: the web client loads it only in development.
 * @throws Problem invalid_reply, with a path for each field that differs
 */
export const checkReply: ReplyCheck = ({ method, path, status }, body) => {
  const reply = routeRow(method, path)?.reply[status];
  const schema = reply instanceof z.ZodType ? reply : reply?.content['application/json']?.schema;
  if (schema === undefined) throw invalid(`${method} ${path} declares no JSON reply of status ${status}`, []);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors = result.error.issues.map((issue) => ({
    path: `/${issue.path.map(String).join('/')}`,
    message: issue.message,
  }));
  const first = errors.slice(0, 3).map((fault) => `${fault.path}: ${fault.message}`);
  throw invalid(
    `The reply of ${method} ${path} is not what the contracts declare: ${first.join('; ')}`,
    errors,
  );
};

function invalid(detail: string, errors: { path: string; message: string }[]): Problem {
  return new Problem({
    status: 200,
    title: 'Unexpected reply',
    detail,
    code: 'invalid_reply',
    errors,
    requestId: null,
    retryAfterSeconds: null,
  });
}
