import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Parts of the checkout that the running service uses; the same from sources, from dist, and in the packed product. */
export const examplesFolder = fileURLToPath(new URL('../../../examples', import.meta.url));
export const combinedModelsFolder = fileURLToPath(new URL('../../../models/combined', import.meta.url));
export const webFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** The program, for processes that start others. */
export const programFile = fileURLToPath(new URL('../dist/main.js', import.meta.url));

const fromCheckout = existsSync(new URL('../../../tools/start.mjs', import.meta.url));
/** What users type: the packed product has a command of its own. */
export const productCommand = fromCheckout ? './kindred' : 'kindred';
export const startCommand = fromCheckout ? 'npm start' : 'kindred start';

const readOrWrittenByOthers = 0o066;
const shared = 0o1000;

/**
 * Makes the data folder, for its owner alone, whatever the umask is, and closes one that others could read. Passing through
 * (711) stays allowed: the database's user may need it. A home and a folder for everyone, such as /tmp, stay as they are.
 */
export function makePrivate(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(dataDir);
  const own = process.getuid?.();
  const isOurs = (own === 0 || uid === own) && (mode & shared) === 0 && dataDir !== homedir();
  if (isOurs && (mode & readOrWrittenByOthers) !== 0) chmodSync(dataDir, 0o700);
}
