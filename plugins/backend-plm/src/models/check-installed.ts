import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { nameFaults, requireInstalled } from './installed.js';
import { verifyManifest } from './files.js';
import { readModelFolder } from './folder.js';
import { type CheckOptions, type CheckReport, selfCheck } from './self-check.js';

/**
 * Compares the files of an installed model with its manifest and runs the self-check again.
 * @throws ProblemError unknown_model, bad_file
 */
export async function checkInstalled(
  modelsDir: string,
  name: string,
  options: CheckOptions,
): Promise<{ verified: number; report: CheckReport }> {
  await requireInstalled(modelsDir, name);
  try {
    const folder = await readModelFolder(join(modelsDir, name));
    const verified = await verifyManifest(folder.path);
    return { verified, report: await selfCheck(folder, options) };
  } catch (error) {
    throw error instanceof ProblemError ? nameFaults(name, error) : error;
  }
}
