import { type RateName, rateNames, rates, routeRows } from '@kindred/contracts';
import { rate } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const rateSettingRows = Object.fromEntries(
  rateNames.map((name) => [name, rowOf(name, rates[name])]),
) as Record<RateName, SettingRow<string>>;

function rowOf(
  name: RateName,
  { default: unset, example, note }: { default: string; example: string; note?: string },
): SettingRow<string> {
  const routes = routeRows.filter((row) => row.rate === name).map(({ method, path }) => `${method} ${path}`);
  return {
    env: `SVC_RATELIMIT_${name.toUpperCase()}`,
    yaml: `auth.rate_limits.${name}`,
    schema: rate(unset),
    example,
    description: routes.join(', ') + (note === undefined ? '' : `; ${note}`),
  };
}
