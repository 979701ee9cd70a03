import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addressFields, decimalNumber, limitQuery } from './fields.js';
import { operationRows } from './operations.js';
import { enrichmentBody } from './resources/enrichment.js';
import { runEvaluationBody } from './resources/evaluation-sets.js';
import { maxBodyBytes, mostAccessions, mostTermIds } from './route.js';

describe('addressFields', () => {
  it('finds every field of an operation that names an address, and no other', () => {
    for (const { name, payload } of operationRows as readonly { name: string; payload: z.ZodType }[]) {
      const fields = payload instanceof z.ZodObject ? Object.keys(payload.shape) : [];
      expect(addressFields(payload), name).toEqual(fields.filter((field) => /(^|_)(url|file)$/.test(field)));
    }
    expect(operationRows.flatMap(({ payload }) => addressFields(payload)).length).toBeGreaterThan(10);
  });

  it('has none for what is not an object', () => {
    expect(addressFields(z.string())).toEqual([]);
  });
});

/** Returns the paths of the objects in a schema that let keys pass that they do not name. */
function openObjects(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, additionalProperties } = schema as Record<string, unknown>;
  // A table whose keys the caller chooses has a schema for its values.
  const isTable =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties ?? {}).length > 0;
  const isOpen = type === 'object' && !isTable && additionalProperties !== false;
  const inner = Object.entries({ ...schema, ...(properties as object) })
    .filter(([key]) => key !== 'properties')
    .flatMap(([key, value]) => openObjects(value, `${path}/${key}`));
  return [...(isOpen ? [path] : []), ...inner];
}

it('refuses an unknown key at every level of the payload of every operation', () => {
  for (const { name, payload } of operationRows as readonly { name: string; payload: z.ZodType }[]) {
    const { issues = [] } = payload.safeParse({ 'an unknown key': 1 }).error ?? {};
    expect(
      issues.map(({ code }) => code),
      name,
    ).toContain('unrecognized_keys');
  }
  const open = operationRows.flatMap(({ name, payload }) =>
    openObjects(z.toJSONSchema(payload as z.ZodType, { io: 'input' }), name),
  );
  // The runner's plugin names the parameters, and checks them before the job is queued.
  expect(open).toEqual(['predict_go_terms/runner_parameters/anyOf/0']);
});

describe('lists in a body', () => {
  const bytesOf = (body: object) => Buffer.byteLength(JSON.stringify(body));

  it('have at most what a body holds', () => {
    const accessions = Array<string>(mostAccessions).fill('P12345');
    expect(bytesOf({ accessions })).toBeLessThan(maxBodyBytes);
    expect(enrichmentBody.safeParse({ accessions }).success).toBe(true);
    expect(enrichmentBody.safeParse({ accessions: [...accessions, 'P12345'] }).success).toBe(false);
    const toi = Array<string>(mostTermIds).fill('GO:0008150');
    const body = { prediction_set_id: crypto.randomUUID(), toi };
    expect(bytesOf(body)).toBeLessThan(maxBodyBytes);
    expect(runEvaluationBody.safeParse(body).success).toBe(true);
    expect(runEvaluationBody.safeParse({ ...body, toi: [...toi, 'GO:0008150'] }).success).toBe(false);
  });

  it('have the same bound in every operation', () => {
    const bounds = operationRows.flatMap(({ name, payload }) =>
      Object.entries(z.toJSONSchema(payload as z.ZodType, { io: 'input' }).properties ?? {}).flatMap(
        ([key, schema]) =>
          [...JSON.stringify(schema).matchAll(/"maxItems":(\d{5,})/g)].map(
            ([, most]) => [`${name}.${key}`, Number(most)] as const,
          ),
      ),
    );
    expect(bounds.length).toBeGreaterThan(3);
    for (const [key, most] of bounds)
      expect(most, key).toBeLessThanOrEqual(key.endsWith('.toi') ? mostTermIds : mostAccessions);
  });
});

describe('numbers in addresses', () => {
  const share = decimalNumber(z.number().min(0).max(1));

  it.each(['10', '1', '0010'])('whole: %s', (text) => {
    expect(limitQuery(50).parse(text)).toBe(Number(text));
  });

  it.each(['1.0', '+5', '0x10', '1e1', ' 5', '5 ', '', 'Infinity', '1_0', '٣', '0', '51'])(
    'not whole: "%s"',
    (text) => {
      expect(limitQuery(50).safeParse(text).success).toBe(false);
    },
  );

  it.each(['0.5', '0', '1', '1e-3', '5E-1'])('decimal: %s', (text) => {
    expect(share.parse(text)).toBe(Number(text));
  });

  it.each(['+0.5', '0x1', ' 0.5', '', 'NaN', '0.5.', '1.1'])('not decimal: "%s"', (text) => {
    expect(share.safeParse(text).success).toBe(false);
  });

  it('are numbers in the description', () => {
    expect(z.toJSONSchema(limitQuery(50), { io: 'input' })).toMatchObject({
      type: 'integer',
      maximum: 50,
      default: 50,
    });
  });
});
