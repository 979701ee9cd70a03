import { integer, optionalWebAddress, text } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const serverSettingRows = {
  host: {
    env: 'SVC_HOST',
    yaml: 'server.host',
    schema: text('127.0.0.1'),
    example: '0.0.0.0',
    description: 'Address that the API listens on',
  },
  port: {
    env: 'SVC_PORT',
    yaml: 'server.port',
    schema: integer(0, 65535, 8000),
    example: '8080',
    description: 'Port of the API; 0 takes any free one',
  },
  baseUrl: {
    env: 'SVC_BASE_URL',
    yaml: 'server.base_url',
    schema: optionalWebAddress,
    whenUnset: 'as requested',
    example: 'https://kindred.lab.example',
    description:
      'Address that users see. A browser may write to the service only from a page of this address or of the address that it listens on; needed behind a proxy, a tunnel or a container. It may end with a path. With https, answers carry Strict-Transport-Security',
  },
} as const satisfies Record<string, SettingRow>;
