import type { FieldFault } from '@kindred/contracts';
import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { faultWords } from './fault-words.js';
import { validationProblem } from './problems.js';

type Issue = z.core.$ZodIssue;

/**
 * Lists the faults of the value, each with a JSON pointer below `prefix`; the list is empty if the value
 * fits.
 */
export function faultsIn(
  schema: z.ZodType,
  value: unknown,
  prefix: readonly PropertyKey[] = [],
): FieldFault[] {
  const result = schema.safeParse(value, forFaults);
  return result.success ? [] : faultsOf(result.error, prefix);
}

/** Lists the faults of a zod error that was parsed `forFaults`, one per unknown key, with JSON pointers. */
function faultsOf(error: { issues: readonly Issue[] }, prefix: readonly PropertyKey[] = []): FieldFault[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: pointer([...path, key]),
        message: 'unknown key; remove it',
        code: 'unrecognized_key',
      }));
    }
    return [{ path: pointer(path), message: issue.message, code: codeOf(issue) }];
  });
}

function codeOf(issue: Issue): string {
  if (issue.code === 'invalid_type' && 'input' in issue && issue.input === undefined) return 'required';
  return issue.code ?? 'invalid';
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * The options give plain words, and the input, which tells a missing value from one of another type.
 * `faultsOf` does not pass the input on.
 */
const forFaults = { reportInput: true, error: faultWords } as const;

/** Validates with the route's zod schemas; a fault is a 422 problem. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data: unknown) => {
    const result = schema.safeParse(data, forFaults);
    if (result.success) return { value: result.data };
    return { error: validationProblem(faultsOf(result.error)) };
  };
};

/** Parses a value that did not come through a route schema, for example a field of a form. */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, forFaults);
  if (result.success) return result.data;
  throw validationProblem(faultsOf(result.error));
}
