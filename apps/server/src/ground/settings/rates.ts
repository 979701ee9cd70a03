import { type RateName, rateNames, rates } from '@kindred/contracts';
import { rate } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const rateSettingRows = Object.fromEntries(
  rateNames.map((name) => [name, rowOf(name, rates[name])]),
) as Record<RateName, SettingRow<string>>;

function rowOf(
  name: RateName,
  { default: unset, example, note }: { default: string; example: string; note?: string },
): SettingRow<string> {
  return {
    env: `SVC_RATELIMIT_${name.toUpperCase()}`,
    yaml: `auth.rate_limits.${name}`,
    schema: rate(unset),
    example,
    // The reference page puts the routes before it (reference.ts).
    description: note ?? '',
  };
}
