import { operationRows } from '@kindred/contracts/operations';
import { routeRows } from '@kindred/contracts/routes';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkedValues, fieldsOf, labelOf, valuesToSend } from './schema-fields.js';

const schema = z.strictObject({
  name: z.string().min(1).meta({ description: 'What it is called' }),
  notes: z.string().max(10_000).nullish(),
  k: z.coerce.number().int().default(5),
  limit: z.int().nullable().default(null),
  on: z.boolean().default(true),
  method: z.enum(['a', 'b']),
  aspects: z.array(z.enum(['P', 'F'])).optional(),
  accessions: z.array(z.string()).nullable().default(null),
  annotation_set_id: z.guid(),
  reranker_model_ids: z.array(z.guid()).default([]),
  run_id: z.guid().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  file: z.file().optional(),
});

it('draws a form from a schema', () => {
  const fields = fieldsOf(schema);
  expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ['name', 'text', true],
    ['notes', 'long', false],
    ['k', 'number', false],
    ['limit', 'number', false],
    ['on', 'switch', false],
    ['method', 'choice', true],
    ['aspects', 'choices', false],
    ['accessions', 'lines', false],
    ['annotation_set_id', 'row', true],
    ['reranker_model_ids', 'rows', false],
    ['run_id', 'row', false],
    ['extra', 'json', false],
    ['file', 'file', false],
  ]);
  expect(fields[0]).toMatchObject({ label: 'Name', description: 'What it is called' });
  expect(fields[5]?.options).toEqual(['a', 'b']);
  expect(fields.find(({ name }) => name === 'run_id')?.label).toBe('Experiment');
  expect(labelOf('old_annotation_set_id')).toBe('Old annotation set');
  expect(['protein_count', 'created_at', 'query_set_name', 'count'].map(labelOf)).toEqual([
    ...['Proteins', 'Created', 'Run', 'Count'],
  ]);
});

it('takes the address of one file as a file, and that of many or of a page as a text', () => {
  const fieldsOfRoute = (key: string) =>
    fieldsOf(routeRows.find(({ method, path }) => `${method} ${path}` === key)?.body);
  const kinds = (key: string) =>
    fieldsOfRoute(key)
      .filter(({ name }) => name.endsWith('url'))
      .map(({ label, kind, description }) => [label, kind, description]);
  expect(kinds('POST /annotations/snapshots/load')).toEqual([['OBO file', 'source', undefined]]);
  expect(kinds('POST /annotations/sets/load-quickgo')[0]?.slice(0, 2)).toEqual(['Quickgo base URL', 'text']);
  expect(kinds('PATCH /annotations/snapshots/:id/ia-url')[0]?.slice(0, 2)).toEqual(['IA URL', 'text']);
});

it('sends what was filled in, and nothing else', () => {
  const fields = fieldsOf(schema);
  expect(
    valuesToSend(fields, {
      name: 'x',
      notes: '',
      accessions: 'P1, P2\n\nP3',
      extra: '{"a":1}',
      k: 7,
      on: false,
    }),
  ).toEqual({ name: 'x', accessions: ['P1', 'P2', 'P3'], extra: { a: 1 }, k: 7, on: false });
  expect(() => valuesToSend(fields, { extra: '{' })).toThrow('Extra: this is not JSON');
});

it('has the fields of a body that may be left out', () => {
  const body = z.strictObject({ comment: z.string().nullish() }).nullish();
  expect(fieldsOf(body).map(({ name }) => name)).toEqual(['comment']);
});

it('sends null for what may be nothing and must be given', () => {
  const fields = fieldsOf(z.strictObject({ annotation_set_id: z.guid().nullable() }));
  expect(fields[0]).toMatchObject({ kind: 'row', required: false });
  expect(valuesToSend(fields, { annotation_set_id: '' })).toEqual({ annotation_set_id: null });
});

const recipe = z.strictObject({
  weights: z
    .strictObject({
      near: z.number().default(0).meta({ description: 'How near' }),
      far: z.number().default(0),
    })
    .prefault({ near: 1 }),
  codes: z
    .partialRecord(z.enum(['IEA', 'IDA']), z.number())
    .nullable()
    .default(null),
  params: z
    .strictObject({
      prior: z
        .strictObject({ enabled: z.boolean(), source: z.literal('frequency').default('frequency') })
        .optional(),
    })
    .default({}),
  open: z.record(z.string(), z.number()).optional(),
});

it('draws objects as groups of fields, also those inside of others', () => {
  const [weights, codes, params, open] = fieldsOf(recipe);
  expect([weights, codes, params, open].map((field) => [field?.kind, field?.required])).toEqual([
    ['group', false],
    ['group', false],
    ['group', false],
    ['json', false],
  ]);
  expect(weights).toMatchObject({
    usual: { near: 1 },
    parts: [{ label: 'Near', kind: 'number' }, { usual: 0 }],
  });
  expect(weights?.parts[0]?.description).toBe('How near');
  expect(codes?.parts.map(({ name, kind }) => [name, kind])).toEqual([
    ['IEA', 'number'],
    ['IDA', 'number'],
  ]);
  // Fields that can have only one value are not shown.
  expect(params?.parts[0]?.parts.map(({ name }) => name)).toEqual(['enabled']);
});

it('sends groups that have something in them, checked by the schema', () => {
  const fields = fieldsOf(recipe);
  expect(valuesToSend(fields, { weights: {}, params: { prior: {} } })).toEqual({});
  const filled = { weights: { near: 2, far: undefined }, params: { prior: { enabled: true } } };
  expect(checkedValues(recipe, fields, filled)).toEqual({
    weights: { near: 2 },
    params: { prior: { enabled: true } },
  });
  expect(() => checkedValues(recipe, fields, { codes: { IEA: '1' } })).toThrow(/^Codes: /);
});

it('has a form for every route and every operation', () => {
  for (const { body, query, upload } of routeRows)
    for (const part of [body, query, upload?.form]) expect(Array.isArray(fieldsOf(part))).toBe(true);
  for (const { payload } of operationRows) expect(Array.isArray(fieldsOf(payload))).toBe(true);
});
