import { z } from 'zod';
import { rateText } from './schemas.js';

const count = z.union([z.int().min(0), z.literal('unlimited').transform(() => null)]);
/** These routes have a rate and a minimum role, so the role of the caller is known there. */
export const roleRateNames = ['jobs', 'datasets', 'imports', 'api_keys'] as const;
export const rolesWithRates = ['researcher', 'operator', 'admin'] as const;
const daily = z.strictObject({
  sequences_per_day: count.optional(),
  jobs_per_day: count.optional(),
});
/** The roles that may use the routes with these rates have more fields than the others. */
const withRates = daily.extend({
  rate_jobs: rateText.optional(),
  rate_datasets: rateText.optional(),
  rate_imports: rateText.optional(),
  rate_api_keys: rateText.optional(),
});

/**
 * The shape of `auth.quotas` in the settings file is role -> resource -> number or `unlimited`. Omitted
 * entries keep their default.
 */
export const quotasSchema = z
  .strictObject({
    anonymous: daily.optional(),
    guest: daily.optional(),
    researcher: withRates.optional(),
    operator: withRates.optional(),
    admin: withRates.optional(),
  })
  .default({});
export type QuotaSettings = z.output<typeof quotasSchema>;
