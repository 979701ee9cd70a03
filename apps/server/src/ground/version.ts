import { readFileSync } from 'node:fs';

/** The server package has this version; exported files contain it, and the API shows it. */
export const productVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
