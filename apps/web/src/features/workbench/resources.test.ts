import { routeRow } from '@kindred/contracts/routes';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { pathOf, type RouteKey } from '../../app/api/call-route.js';
import { type Resource, resources } from './resources.js';
import { fieldsOf, rowLists } from './schema-fields.js';

interface Shape {
  type?: string;
  items?: Shape;
  properties?: Record<string, Shape>;
}

function fieldsOfRows(list: RouteKey, within?: string): string[] {
  const { method, path } = pathOf(list);
  const reply = routeRow(method, path)?.reply[200];
  const schema =
    reply !== undefined && 'content' in reply ? reply.content['application/json']?.schema : reply;
  const shape = z.toJSONSchema(schema as z.ZodType, { io: 'output', unrepresentable: 'any' }) as Shape;
  const rows = within === undefined ? shape : shape.properties?.[within];
  return Object.keys(rows?.items?.properties ?? {});
}

const all = (list: readonly Resource[]): Resource[] =>
  list.flatMap((one) => [one, ...all(one.children ?? [])]);

it('shows columns that the rows of its list have, and names them by fields that they have', () => {
  for (const { key, list, within, columns = [], param, rowActs } of all(resources)) {
    if (list === undefined) continue;
    const fields = fieldsOfRows(list, within);
    const used = [...columns, ...(rowActs === undefined ? [] : [param?.[1] ?? 'id'])];
    expect([key, used.filter((field) => !fields.includes(field))]).toEqual([key, []]);
  }
  for (const { list, words } of Object.values(rowLists)) {
    const fields = fieldsOfRows(list);
    expect([list, words.filter((field) => !fields.includes(field))]).toEqual([list, []]);
  }
});

it('adds rows to another list by fields that its route takes, and chooses the other row by name', () => {
  const acts = all(resources).flatMap(({ acts: own = [], rowActs = [] }) => [...own, ...rowActs]);
  const adding = acts.flatMap((act) => (act.adds === undefined ? [] : [{ ...act, adds: act.adds }]));
  expect(adding.map(({ adds: { as } }) => as)).toEqual([
    'evaluation_result_ids',
    'reranker_model_ids',
    'job_ids',
  ]);
  for (const { route, adds } of adding) {
    const { method, path } = pathOf(route);
    const row = routeRow(method, path);
    expect(row?.body?.safeParse({ [adds.as]: [crypto.randomUUID()] }).success).toBe(true);
    expect(fieldsOf(row?.params).find(({ name }) => name === adds.to)?.kind).toBe('row');
    expect(resources.some(({ key }) => key === adds.page)).toBe(true);
  }
});

it('limits forms to fields that their schema has', () => {
  for (const { route, fields } of all(resources).flatMap(({ rowActs = [] }) => rowActs)) {
    if (fields === undefined) continue;
    const { method, path } = pathOf(route);
    const known = fieldsOf(routeRow(method, path)?.body);
    const kinds = fields.map((field) => known.find(({ name }) => name === field)?.kind);
    expect(kinds).toEqual(fields.map(() => 'rows'));
  }
});
