import { optionalText, optionalWebAddress } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** The command line reads these settings when it is a client of a service. */
export const clientSettingRows = {
  clientUrl: {
    env: 'SVC_URL',
    yaml: 'client.url',
    schema: optionalWebAddress,
    whenUnset: 'the service of this data folder',
    example: 'https://kindred.lab.example',
    description: 'Service that the command line uses',
  },
  clientApiKey: {
    env: 'SVC_API_KEY',
    yaml: 'client.api_key',
    schema: optionalText,
    whenUnset: "the data folder's own key",
    example: '(43 characters)',
    description: 'Credential of the command line',
    secret: true,
  },
} as const satisfies Record<string, SettingRow>;
