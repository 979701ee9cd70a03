import { expect, it } from 'vitest';
import { z } from 'zod';
import { uuidOf } from '@kindred/contracts/ids';
import { faultsIn } from './validation.js';

const messages = (schema: z.ZodType, value: unknown) => faultsIn(schema, value).map(({ message }) => message);

it.each([
  ['a UUID', uuidOf(), 'x', 'expected a UUID, such as 0f8fad5b-d9cb-469f-a165-70867728950e'],
  ['a number in a query', z.coerce.number(), 'ten', 'expected a number, not a text that is not a number'],
  ['a whole number', z.int(), 1.5, 'expected a whole number, not 1.5'],
  ['an object', z.record(z.string(), z.unknown()), [], 'expected an object, not a list'],
  ['a text', z.string(), null, 'expected a text, not null'],
  ['a value that is missing', z.string(), undefined, 'required; expected a text'],
  ['a choice', z.enum(['P', 'F', 'C']), 'X', 'expected one of P, F, C'],
  ['an upper bound', z.number().max(500), 501, 'expected at most 500'],
  ['a lower bound', z.number().gt(0), 0, 'expected more than 0'],
  ['a length', z.string().min(1), '', 'expected at least 1 character'],
  ['a longest list', z.array(z.int()).max(2), [1, 2, 3], 'expected at most 2 items'],
  ['an address of a person', z.email(), 'nobody', 'expected an e-mail address'],
  ['a union', z.union([z.int(), z.boolean()]), 'x', 'does not match any of the accepted forms'],
])('says in plain words what %s should be', (_what, schema, value, message) => {
  expect(messages(schema, value)).toEqual([message]);
});

it('leaves the sentence of a schema as it is', () => {
  expect(messages(z.string().min(1, 'give the set a name'), '')).toEqual(['give the set a name']);
});
