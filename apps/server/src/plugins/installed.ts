import type { Plugin } from '@kindred/contracts';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { unknownKeys } from '../settings/setting-row.js';
import { importDeclared } from './load-plugin.js';
import { MissingSetting, pluginContext, pluginSettingRows } from './plugin-settings.js';
import { moduleFolders, scanPackages } from './scan.js';

/** Plugins of every kind that can be imported, whether or not they can work here. */
export async function installedPlugins(folders: readonly string[] = moduleFolders()): Promise<Plugin[]> {
  const imported = await Promise.all((await scanPackages(folders)).map(importDeclared));
  return imported.flatMap((one) => ('plugin' in one ? [one.plugin] : []));
}

/**
 * Stops the start if a plugin's setting has an invalid value, or the settings file has a key that no installed plugin
 * reads. Keys of a plugin that is not installed (`plugins.<name>.`) pass, as do settings that are missing: such a
 * plugin is listed as unavailable.
 * @throws SettingsError
 */
export async function checkPluginSettings(
  inputs: PluginInputs,
  folders: readonly string[] = moduleFolders(),
): Promise<void> {
  const plugins = await installedPlugins(folders);
  for (const plugin of plugins) {
    try {
      pluginContext(plugin, inputs);
    } catch (error) {
      if (!(error instanceof MissingSetting)) throw error;
    }
  }
  const known = new Set(plugins.flatMap(keysOf));
  const names = new Set(plugins.map((plugin) => plugin.name));
  const unknown = Object.keys(inputs.fileValues).filter(
    (key) => !known.has(key) && !ofAbsentPlugin(key, names),
  );
  if (unknown.length > 0) throw unknownKeys(inputs.filePath, unknown);
}

function keysOf(plugin: Plugin): string[] {
  return [...pluginSettingRows(plugin).values()].flatMap(({ yaml, aliases }) =>
    aliases?.yaml === undefined ? [yaml] : [yaml, aliases.yaml],
  );
}

function ofAbsentPlugin(key: string, installed: ReadonlySet<string>): boolean {
  const [section, name, ...rest] = key.split('.');
  return section === 'plugins' && rest.length > 0 && !installed.has(name);
}
