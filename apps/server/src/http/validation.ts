import type { FieldFault } from '@kindred/contracts';
import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { validationProblem } from './problems.js';

type Issue = z.core.$ZodIssue;

/** Faults of a zod error that was parsed with `reportInput`, one per unknown key, with JSON pointers. */
export function faultsOf(
  error: { issues: readonly Issue[] },
  prefix: readonly PropertyKey[] = [],
): FieldFault[] {
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

/** With it, an issue tells a missing value from one of another type. `faultsOf` hands no input on. */
export const reportInput = { reportInput: true } as const;

/** Validates with the route's zod schemas; a fault is a 422 problem. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data: unknown) => {
    const result = schema.safeParse(data, reportInput);
    if (result.success) return { value: result.data };
    return { error: validationProblem(faultsOf(result.error)) };
  };
};

/** Parses a value that did not come through a route schema, a form field for instance. */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, reportInput);
  if (result.success) return result.data;
  throw validationProblem(faultsOf(result.error));
}
