import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConnectionLostError, connectionFaultOf } from '../store/postgres/connection-fault.js';
import { isInfrastructureError } from '../work/worker/failure.js';
import { problemOf } from './problems.js';
import { parseOrRefuse } from './validation.js';

const coded = (code: string) => Object.assign(new Error('x'), { code });

it.each([
  '40001',
  '40P01',
  'EPIPE',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  '08006',
  '57P01',
  '57P03',
  '53300',
])('a route asks for another try after %s, and a worker gives the work back', (code) => {
  const problem = problemOf(coded(code));
  expect(problem.code).toBe('service_unavailable');
  expect(problem.headers['retry-after']).toBeDefined();
  expect(isInfrastructureError(coded(code))).toBe(true);
});

it('knows a lost connection by its code', () => {
  const lost = new ConnectionLostError({ cause: new Error('x') });
  expect(problemOf(lost).code).toBe('service_unavailable');
  expect(isInfrastructureError(lost)).toBe(true);
});

it('does not judge by the words of a message', () => {
  const error = new Error('Connection terminated unexpectedly: timeout exceeded when trying to connect');
  expect(connectionFaultOf(error)).toBeNull();
  expect(problemOf(error).code).toBe('internal_error');
  expect(isInfrastructureError(error)).toBe(false);
});

it.each(['53100', '53200'])('a route names a lack of resources (%s)', (code) => {
  expect(problemOf(coded(code)).code).toBe('out_of_resources');
});

it.each(['23505', '57014', 'ENOENT'])('%s is a fault of the service', (code) => {
  expect(problemOf(coded(code)).code).toBe('internal_error');
});

it('tells a missing field from one of a wrong type, whatever the message says', () => {
  const schema = z.object({
    name: z.string({ error: 'give a name' }),
    size: z.number({ error: 'received undefined' }),
  });
  try {
    parseOrRefuse(schema, { size: 'big' });
    expect.unreachable();
  } catch (error) {
    expect(problemOf(error).errors).toEqual([
      { path: '/name', message: 'give a name', code: 'required' },
      { path: '/size', message: 'received undefined', code: 'invalid_type' },
    ]);
  }
});

it('shows the first hundred of many faults, and says how many there are', () => {
  try {
    parseOrRefuse(
      z.array(z.string()),
      Array.from({ length: 5000 }, (_, i) => i),
    );
    expect.unreachable();
  } catch (error) {
    expect(problemOf(error).errors).toHaveLength(100);
    expect(problemOf(error).message).toMatch(/^\/0: expected a text.*\(and 4999 more\)$/);
  }
});
