import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfFile } from '../../ground/digest.js';
import { combinedModelsFolder } from '../../ground/folders.js';
import { installedPlugins } from '../../ground/plugins/installed.js';
import { pluginContext } from '../../ground/plugins/plugin-settings.js';
import { type Check, fault, type Finding, ok } from './finding.js';

/** Checks the models that came with the program, and the files that plugins keep on this machine. */
export const checkModels: Check = async ({ plugins: inputs }) => {
  const findings = [await shippedModels()];
  for (const plugin of await installedPlugins()) {
    const found = await Promise.resolve()
      .then(() => plugin.examine?.(pluginContext(plugin, inputs)) ?? [])
      .catch((error: Error) => [
        { state: 'fault' as const, text: error.message, advice: 'Correct its settings, or report it.' },
      ]);
    findings.push(
      ...found.map((finding) => ({ about: 'models', ...finding, text: `${plugin.name}: ${finding.text}` })),
    );
  }
  return findings;
};

/** The models of the default method, by whom they score: their provenance, and how their files begin. */
const kinds = [
  { provenance: 'provenance.json', prefix: '' },
  { provenance: 'known-provenance.json', prefix: 'known.' },
  { provenance: 'bare-provenance.json', prefix: 'bare.' },
];

/** Compares the files of the default method with the digests in their provenance. */
async function shippedModels(): Promise<Finding> {
  const advice = 'Install Kindred again: its folder models/combined was changed or is not complete.';
  try {
    let count = 0;
    for (const { provenance, prefix } of kinds) {
      const { models_sha256: digests } = JSON.parse(
        await readFile(join(combinedModelsFolder, provenance), 'utf8'),
      ) as { models_sha256: Record<string, string> };
      for (const [name, digest] of Object.entries(digests)) {
        const file = `${prefix}${name}.txt`;
        if ((await sha256OfFile(join(combinedModelsFolder, file))) !== digest)
          return fault('models', `${file} of the default method is not the file that was shipped`, advice);
        count++;
      }
    }
    return ok('models', `the ${count} models of the default method are those that were shipped`);
  } catch (error) {
    return fault('models', (error as Error).message, advice);
  }
}
