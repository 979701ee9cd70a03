import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';

const readOrWrittenByOthers = 0o066;
const shared = 0o1000;

/**
 * Makes the data folder for its owner alone, whatever the umask is, and closes a folder that others could
 * read. Others may still pass through (711), because the database's user may need it. A home and a folder for
 * everyone, such as /tmp, stay as they are.
 */
export function makePrivate(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(dataDir);
  const own = process.getuid?.();
  const isOurs = (own === 0 || uid === own) && (mode & shared) === 0 && dataDir !== homedir();
  if (isOurs && (mode & readOrWrittenByOthers) !== 0) chmodSync(dataDir, 0o700);
}
