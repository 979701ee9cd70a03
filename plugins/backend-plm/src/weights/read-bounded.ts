import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { badModel } from '../bad-model.js';

/** Reads a text file of a model folder. @throws ProblemError if it is missing or larger than `maxBytes` */
export async function readBounded(path: string, maxBytes: number): Promise<string> {
  const handle = await open(path).catch(() => {
    throw badModel(`there is no file ${basename(path)}`);
  });
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw badModel(`${basename(path)} has ${size} bytes, too many for such a file`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
