import { access } from 'node:fs/promises';
import { ProblemError } from '@kindred/contracts';

/** Refuses a file that the user named and that this process cannot read. */
export async function requireFile(path: string): Promise<void> {
  await access(path).catch(() => {
    throw new ProblemError('bad_file', `The file ${path} does not exist or cannot be read.`);
  });
}

/** Refuses the name of a new file if it is taken. */
export async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new ProblemError('conflict', `${path} exists: name another file, or remove it.`);
}
