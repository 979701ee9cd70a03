import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ProblemError } from '@kindred/contracts/problems';
import type { Compatibility, EvaluationSettings } from '@kindred/kernels/evaluation';

/** The options of `kindred evaluate` are plain data, so that threads can receive them. */
export interface EvaluateRequest extends EvaluationSettings {
  obo: string;
  predictions: string;
  groundTruth: string;
  ia?: string;
  known?: string;
  toi?: string;
  noOrphans: boolean;
  maxTerms?: number;
  compatibility: Compatibility;
  threads: number;
  outDir: string;
  full: boolean;
  /** The bootstrap draws this number of resamples; 0 for none. */
  bootstrap: number;
  seed: number;
}

export interface MethodFile {
  /** The name in the tables is the path below the folder with `_` for `/`, without `.gz`. */
  method: string;
  path: string;
}

/** Finds the prediction files below a folder (or one file), sorted by method name. */
export function findMethods(predictions: string): MethodFile[] {
  const found = statOrRefuse(predictions).isFile()
    ? [{ path: predictions, name: relative(join(predictions, '..'), predictions) }]
    : filesBelow(predictions).map((path) => ({
        path,
        name: relative(predictions, path).replaceAll(sep, '_'),
      }));
  const names = new Set(found.map(({ name }) => name));
  const methods = found.map(({ path, name }) => {
    const bare = name.replace(/\.gz$/, '');
    return { path, method: names.has(bare) ? name : bare };
  });
  if (methods.length === 0) {
    throw new ProblemError(
      'bad_file',
      `${predictions}: no prediction file in this folder; each file below it is one method`,
    );
  }
  return methods.sort((a, b) => (a.method < b.method ? -1 : 1));
}

function filesBelow(folder: string): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...filesBelow(path));
    else if (entry.isFile() || (entry.isSymbolicLink() && statOrRefuse(path).isFile())) files.push(path);
  }
  return files;
}

function statOrRefuse(path: string): ReturnType<typeof statSync> & object {
  try {
    return statSync(path);
  } catch (cause) {
    throw new ProblemError('bad_file', `${path}: cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    });
  }
}
