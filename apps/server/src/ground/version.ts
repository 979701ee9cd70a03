import { readFileSync } from 'node:fs';

/** The version of the server package; exported files contain it, and the API shows it. */
export const productVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
