import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../run/env.js';
import { unknownVariables } from '../../ground/plugins/installed.js';
import { type Check, type Finding, ok, warning } from './finding.js';

export async function checkVariables(settings: Settings): Promise<Finding[]> {
  const unknown = await unknownVariables(settings.plugins);
  if (unknown.length === 0) return [ok('settings', 'valid; every SVC_ variable is known')];
  return unknown.map(({ name, closest }) =>
    warning(
      'settings',
      `${name} is not a setting and has no effect`,
      closest === null ? 'See docs/reference/settings.md for all names.' : `Did you mean ${closest}?`,
    ),
  );
}

/** The secret should be set, because otherwise each host makes another one in its data folder. */
export const checkSecret: Check = async (settings) => {
  const own = await readFile(join(settings.dataDir, 'jwt-secret'), 'utf8').catch(() => '');
  if (settings.dbUrl === null || own.trim() !== settings.accounts.jwtSecret)
    return [ok('secret', 'one secret signs the sessions')];
  return [
    warning(
      'secret',
      'SVC_JWT_SECRET is not set and the database is shared: another host makes a secret of its own, and sessions are valid on one only',
      'Give all API processes the same SVC_JWT_SECRET.',
    ),
  ];
};
