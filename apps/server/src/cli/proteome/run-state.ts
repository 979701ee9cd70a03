import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type { StartedAnnotation } from '../annotation-run.js';
import type { LeftOut } from '../query-file.js';

/** A run needs this state to continue after a kill; it is `run.json` of its folder. */
export interface RunState {
  /** The service gets this idempotency key, so that an interrupted upload is not repeated. */
  key: string;
  input: { name: string; sha256: string };
  gff: { name: string; sha256: string } | null;
  choice: Record<string, unknown>;
  started: StartedAnnotation | null;
  /** These entries of the input were not sent as proteins; runs of earlier versions lack the field. */
  leftOut?: readonly LeftOut[];
  predictionSetId: string | null;
}

const stateName = 'run.json';

/**
 * Reads the state of the folder's run, or makes a new one.
 * @throws ProblemError bad_file if the folder has a run although no resume was requested, or a run that began
 * with other inputs
 */
export async function openRun(
  folder: string,
  asked: Pick<RunState, 'input' | 'gff' | 'choice'>,
  resume: boolean,
): Promise<RunState> {
  const begun = await readFile(join(folder, stateName), 'utf8').then(
    (text) => JSON.parse(text) as RunState,
    () => null,
  );
  if (begun === null) {
    const state = { key: randomUUID(), ...asked, started: null, predictionSetId: null };
    await saveRun(folder, state);
    return state;
  }
  if (!resume)
    throw new ProblemError(
      'bad_file',
      `${folder} has a run of ${begun.input.name}: add --resume to continue it, or name another folder.`,
    );
  for (const what of ['input', 'gff', 'choice'] as const) {
    const [before, now] = [begun[what], asked[what]].map((value) => JSON.stringify(value));
    if (before !== now)
      throw new ProblemError(
        'bad_file',
        `The run in ${folder} began with other values (${before}, now ${now}): give the same again, or name another folder.`,
      );
  }
  return begun;
}

export async function saveRun(folder: string, state: RunState): Promise<void> {
  await replaceFile(join(folder, stateName), (path) =>
    writeFile(path, `${JSON.stringify(state, null, 1)}\n`),
  );
}

/** Writes to a temporary file and renames it when it is complete. */
export async function replaceFile<T>(path: string, make: (path: string) => Promise<T>): Promise<T> {
  const made = await make(`${path}.part`);
  await rename(`${path}.part`, path);
  return made;
}
