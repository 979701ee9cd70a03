import { type RateName, rateNames, rates } from '@kindred/contracts';
import { rate } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const rateSettingRows = Object.fromEntries(
  rateNames.map((name) => [name, rowOf(name, rates[name])]),
) as Record<RateName, SettingRow<string>>;

function rowOf(
  name: RateName,
  { default: unset, example }: { default: string; example: string },
): SettingRow<string> {
  return {
    env: `SVC_RATELIMIT_${name.toUpperCase()}`,
    yaml: `auth.rate_limits.${name}`,
    schema: rate(unset),
    example,
    // The reference page says which routes it counts (reference.ts).
    description: '',
  };
}
