import { firstData, optionalText, text } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const dataSettingRows = {
  dataDir: {
    env: 'SVC_DATA_DIR',
    yaml: 'data.dir',
    schema: text('./data'),
    example: '/var/lib/kindred',
    description: 'Folder of persistent data: database, reference banks, logs, secrets',
  },
  importDir: {
    env: 'SVC_IMPORT_DIR',
    yaml: 'data.import_dir',
    schema: optionalText,
    whenUnset: '<SVC_DATA_DIR>/import',
    example: '/srv/releases',
    description: 'The only folder that file:// addresses may read from (besides the shipped examples)',
  },
  loadExamples: {
    env: 'SVC_LOAD_EXAMPLES',
    yaml: 'data.load_examples',
    schema: firstData,
    example: 'none',
    description:
      'Loaded when the service starts on an empty database. starter: the starter reference; small: the example set of 4,000 human proteins; none: nothing',
  },
} as const satisfies Record<string, SettingRow>;
