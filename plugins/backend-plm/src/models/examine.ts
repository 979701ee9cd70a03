import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginFinding } from '@kindred/contracts';
import { neededFiles, verifyManifest } from './files.js';
import { findRuntime } from '../runtime/load.js';
import { runtimeFolder, runtimeVersion } from '../runtime/place.js';
import { installedModels } from './installed.js';

/**
 * Compares the files of every installed model with those that were added. All files are read.
 * @param own see findRuntime
 */
export async function examineModels(modelsDir: string, own?: string): Promise<PluginFinding[]> {
  const names = await installedModels(modelsDir);
  if (names.length === 0) return [{ state: 'ok', text: `no language model is installed in ${modelsDir}` }];
  const findings: PluginFinding[] = findRuntime(modelsDir, own) === null ? [withoutRuntime(modelsDir)] : [];
  for (const name of names) findings.push(await examineModel(join(modelsDir, name), name));
  return findings;
}

const withoutRuntime = (modelsDir: string): PluginFinding => ({
  state: 'fault',
  text: `ONNX Runtime ${runtimeVersion()}, which runs the models, is not installed`,
  advice: `"kindred models check <name>" downloads it; without a network, copy ${runtimeFolder(modelsDir)} from a machine of this kind.`,
});

async function examineModel(folder: string, name: string): Promise<PluginFinding> {
  try {
    const verified = await verifyManifest(folder);
    if (verified > 0) return { state: 'ok', text: `${name}: its ${verified} files are as they were added` };
    neededFiles(await readdir(folder));
    return {
      state: 'warning',
      text: `${name}: it has no list of digests, so damaged files cannot be seen`,
      advice: `"kindred models add" makes one when it copies a folder; "kindred models check ${name}" runs the model.`,
    };
  } catch (error) {
    return {
      state: 'fault',
      text: `${name}: ${(error as Error).message}`,
      advice: `Delete ${folder} and get the model again ("kindred models pull ${name}", or "kindred models add <folder>").`,
    };
  }
}
