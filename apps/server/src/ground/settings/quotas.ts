import { z } from 'zod';
import { rateText } from './schemas.js';

const count = z.union([z.int().min(0), z.literal('unlimited').transform(() => null)]);
/** Routes with a rate and a minimum role: there the role of the caller is known. */
export const roleRateNames = ['jobs', 'datasets', 'imports', 'api_keys'] as const;
export const rolesWithRates = ['researcher', 'operator', 'admin'] as const;
const daily = z.strictObject({
  sequences_per_day: count.optional(),
  jobs_per_day: count.optional(),
});
/** Roles that may use the routes with these rates. */
const withRates = daily.extend({
  rate_jobs: rateText.optional(),
  rate_datasets: rateText.optional(),
  rate_imports: rateText.optional(),
  rate_api_keys: rateText.optional(),
});

/**
 * `auth.quotas` of the settings file: role -> resource -> number or `unlimited`. Omitted entries keep their default.
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
