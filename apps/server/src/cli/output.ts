import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { ProblemError } from '@kindred/contracts';
import { whyUnwritable } from '../ground/sources/file-fault.js';

/**
 * Opens the output before the work starts, so that an unwritable path fails at once. Without a path, it is
 * standard output.
 */
export async function openOutput(path: string | undefined): Promise<Writable> {
  if (path === undefined) return process.stdout;
  const file = createWriteStream(path);
  await once(file, 'open').catch((cause: NodeJS.ErrnoException) => {
    throw new ProblemError('bad_file', `${path} cannot be written: ${whyUnwritable(cause)}.`, { cause });
  });
  return file;
}

/** Waits if the reader is slower. */
export async function write(output: Writable, text: string | Uint8Array): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

/** Ends a file; standard output stays open. */
export async function endOutput(output: Writable): Promise<void> {
  if (output === process.stdout) return;
  output.end();
  await once(output, 'finish');
}

/** Prints what the API gave as JSON, for other programs. */
export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
