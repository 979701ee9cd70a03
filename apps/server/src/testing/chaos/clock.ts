import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from './faults.js';

const longestShiftSeconds = 15;

/**
 * The library of Debian's package `libfaketime` changes the clock of the programs that load it, without that
 * of the machine.
 */
const library = (existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])
  .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

/**
 * Makes a clock that jumps, for the processes with this environment; null without the library. Time that
 * passes is not changed.
 */
export async function jumpingClock(
  folder: string,
): Promise<{ env: NodeJS.ProcessEnv; faults: Record<string, Fault> } | null> {
  if (library === undefined) return null;
  const file = join(folder, 'clock');
  const set = async (seconds: number) => {
    await writeFile(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
    await rename(`${file}.new`, file);
  };
  await set(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  return {
    env,
    faults: {
      'clock moved': async ({ random }) =>
        set(random.integer(2 * longestShiftSeconds + 1) - longestShiftSeconds),
    },
  };
}
