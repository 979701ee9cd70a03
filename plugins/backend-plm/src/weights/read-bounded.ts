import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { badModel } from '../bad-model.js';

/** A text file of a model folder, refused when it is absent or larger than such a file can be. */
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
