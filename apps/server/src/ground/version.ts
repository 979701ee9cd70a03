import { readFileSync } from 'node:fs';

/** Version of the server package; written into files that leave and shown by the API. */
export const productVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
