import { z } from 'zod';

const count = z.union([z.int().min(0), z.literal('unlimited').transform(() => null)]);
const daily = z.strictObject({ sequences_per_day: count.optional(), jobs_per_day: count.optional() });

/** `auth.quotas` of the settings file: role -> resource -> number or `unlimited`. What is left out keeps its default. */
export const quotasSchema = z
  .strictObject({
    anonymous: daily.optional(),
    guest: daily.optional(),
    researcher: daily.optional(),
    operator: daily.optional(),
    admin: daily.optional(),
  })
  .default({});
export type QuotaSettings = z.output<typeof quotasSchema>;
