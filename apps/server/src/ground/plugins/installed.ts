import type { Plugin } from '@kindred/contracts';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { settingRows } from '../settings/table.js';
import { unknownKeys } from '../settings/setting-row.js';
import { importDeclared } from './load-plugin.js';
import { MissingSetting, pluginContext, pluginSettingRows } from './plugin-settings.js';
import { moduleFolders, scanPackages } from './scan.js';

/** Imports the plugins of every kind, whether or not they can work here. */
export async function installedPlugins(folders: readonly string[] = moduleFolders()): Promise<Plugin[]> {
  const imported = await Promise.all((await scanPackages(folders)).map(importDeclared));
  return imported.flatMap((one) => ('plugin' in one ? [one.plugin] : []));
}

/**
 * Stops the start if a plugin's setting has an invalid value, or if the settings file has a key that no
 * installed plugin reads. Keys of a plugin that is not installed (`plugins.<name>.`) pass. Missing settings
 * pass, too: the plugin is then listed as unavailable.
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

/**
 * An unknown variable has our prefix, but nothing reads it. The most similar name that something reads may be
 * the one that was meant.
 */
export interface UnknownVariable {
  name: string;
  closest: string | null;
}

/** The search for the settings file, and tests, read these variables outside the table of settings. */
const otherVariables = ['SVC_CONFIG', 'SVC_TEST_DB_URL', 'SVC_TEST_AMQP'];
const maxEdits = 3;

export async function unknownVariables(
  inputs: PluginInputs,
  folders: readonly string[] = moduleFolders(),
): Promise<UnknownVariable[]> {
  const rows = (await installedPlugins(folders)).flatMap((plugin) => [...pluginSettingRows(plugin).values()]);
  const ofPlugins = new Set(
    rows.flatMap((row) => (row.aliases?.env === undefined ? [row.env] : [row.env, row.aliases.env])),
  );
  const names = Object.keys(inputs.variables).filter(
    (name) => inputs.variables[name] !== undefined && !otherVariables.includes(name) && !ofPlugins.has(name),
  );
  const known = [...settingRows.map((row) => row.env), ...ofPlugins, ...otherVariables];
  return names.map((name) => ({ name, closest: closestOf(name, known) }));
}

/** The operator sees these warnings at every start. */
export async function unknownVariableWarnings(inputs: PluginInputs): Promise<string[]> {
  return (await unknownVariables(inputs)).map(
    ({ name, closest }) =>
      `${name} is not a setting and has no effect.${closest === null ? '' : ` Did you mean ${closest}?`}`,
  );
}

function closestOf(name: string, known: readonly string[]): string | null {
  const byEdits = known.map((one) => ({ one, edits: editsBetween(name, one) }));
  const best = byEdits.reduce((a, b) => (b.edits < a.edits ? b : a));
  return best.edits <= maxEdits ? best.one : null;
}

/** Counts the letters to insert, delete or replace (Levenshtein distance). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
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
