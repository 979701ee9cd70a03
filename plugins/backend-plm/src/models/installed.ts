import { readdir } from 'node:fs/promises';
import { ProblemError } from '@kindred/contracts';

const usableName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Returns the names of the folders that may hold a model, sorted. */
export async function installedModels(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && usableName.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** @throws ProblemError unknown_model */
export async function requireInstalled(modelsDir: string, name: string): Promise<void> {
  const installed = await installedModels(modelsDir);
  if (installed.includes(name)) return;
  const list = installed.length > 0 ? `Installed: ${installed.join(', ')}.` : 'None is installed.';
  throw new ProblemError(
    'unknown_model',
    `There is no language model ${name}. ${list} Get one by "kindred models pull ${name}" or "kindred models add <folder>".`,
  );
}

/** Adds the model's name to an error of a folder. */
export function nameFaults(name: string, error: ProblemError): ProblemError {
  if (error.code === 'validation_failed') return error;
  return new ProblemError(error.code, `The model ${name} cannot be used: ${error.message}.`, {
    cause: error,
  });
}
