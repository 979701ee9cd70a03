import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addressFields } from './fields.js';
import { operationRows } from './operations.js';

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
