import { ProblemError } from '@kindred/contracts';
import { ConnectionLostError } from '../../store/postgres/connection-fault.js';
import { openDatabase } from '../../store/postgres/connection.js';
import { expect, it } from 'vitest';
import { describeFailure, isFinalRefusal, isInfrastructureError } from './failure.js';

const storeFailed = (cause: unknown) => new ProblemError('artifact_store_failed', 'x', { cause });
const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

it.each([
  coded('ECONNREFUSED'),
  coded('57P01'),
  coded('08006'),
  coded('53300'),
  coded('40P01'),
  new ConnectionLostError({ cause: new Error('x') }),
  new AggregateError([coded('ECONNREFUSED')]),
  new ProblemError('service_unavailable', 'the broker is away'),
  coded('ENOTFOUND'),
  coded('EAI_AGAIN'),
  storeFailed(coded('ECONNREFUSED')),
  storeFailed(Object.assign(new Error('slow'), { name: 'TimeoutError' })),
  storeFailed(Object.assign(new Error('busy'), { $metadata: { httpStatusCode: 503 } })),
])('%s is a fault of the infrastructure', (error) => {
  expect(isInfrastructureError(error)).toBe(true);
});

it.each([
  new TypeError('x is not a function'),
  coded('23505'),
  coded('57014'),
  coded('53100'),
  new Error('Connection terminated unexpectedly'),
  coded('ENOENT'),
  new ProblemError('fetch_failed', 'Connection terminated unexpectedly'),
  Object.assign(new TypeError('fetch failed'), { cause: coded('ECONNREFUSED') }),
  storeFailed(Object.assign(new Error('no'), { name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } })),
  storeFailed(undefined),
  'text',
  null,
])('%s is a fault of the work', (error) => {
  expect(isInfrastructureError(error)).toBe(false);
});

it('recognises the driver error of an unreachable server', async () => {
  const db = openDatabase('postgresql://nobody@%2Fnonexistent:5432/none');
  const error = await db.pool.query('select 1').catch((cause: unknown) => cause);
  expect(isInfrastructureError(error)).toBe(true);
  await db.pool.end();
});

it('does not retry a refusal, unless a retry may succeed', () => {
  expect(isFinalRefusal(new ProblemError('not_found', 'x'))).toBe(true);
  expect(isFinalRefusal(Object.assign(new Error('x'), { name: 'ProblemError', code: 'bad_file' }))).toBe(
    true,
  );
  for (const error of [
    new ProblemError('fetch_failed', 'x'),
    new ProblemError('out_of_resources', 'x'),
    new Error('x'),
  ]) {
    expect(isFinalRefusal(error)).toBe(false);
  }
});

it('gives each failure a code and a message to act on', () => {
  expect(describeFailure(new ProblemError('bad_file', 'Line 3 is bad.'))).toEqual({
    code: 'bad_file',
    message: 'Line 3 is bad.',
  });
  expect(describeFailure(coded('ENOSPC')).code).toBe('out_of_resources');
  expect(describeFailure(coded('53100')).message).toContain('The disk is full');
  const memory = Object.assign(
    new Error(
      'could not resize shared memory segment "/PostgreSQL.1" to 8388608 bytes: No space left on device',
    ),
    { code: '53100' },
  );
  expect(describeFailure(memory).message).toContain('/dev/shm');
  expect(describeFailure(coded('ERR_WORKER_OUT_OF_MEMORY')).message).toContain('smaller batches');
  for (const error of [new Error('secret'), 'secret', null, undefined]) {
    const { code, message } = describeFailure(error);
    expect(code).toBe('internal_error');
    expect(message).not.toContain('secret');
  }
});
