import type { Plugin, PluginContext, PluginSettingMeta } from '@kindred/contracts';
import { z } from 'zod';
import { badSetting, givenValue, type SettingRow, SettingsError } from '../settings/setting-row.js';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { falsy, truthy } from '../settings/schemas.js';

type Described = Pick<Plugin, 'name' | 'settings'>;

/** A required setting is not set: the plugin is unavailable, but the service starts. */
export class MissingSetting extends SettingsError {}

/** `read` converts a variable's text to the type of the field, before the schema checks it. */
type PluginSettingRow = SettingRow & { read: (value: unknown) => unknown };

/** Lists the settings of a plugin as rows, in the order of its schema. */
export function pluginSettingRows({ name, settings }: Described): Map<string, PluginSettingRow> {
  return new Map(
    Object.entries(settings?.shape ?? {}).map(([key, field]) => {
      const described = describe(field as z.ZodType);
      const read = (value: unknown): unknown => fromText(value, described.types);
      const row: PluginSettingRow = {
        read,
        env: `SVC_PLUGIN_${variablePart(name)}_${variablePart(key)}`,
        yaml: `plugins.${name}.${key}`,
        schema: z.preprocess(read, field as z.ZodType),
        description: described.meta.description ?? '',
        example: described.meta.example ?? '',
        ...(described.meta.secret && { secret: true }),
        ...(described.meta.whenUnset !== undefined && { whenUnset: described.meta.whenUnset }),
        ...(described.meta.aliases && { aliases: described.meta.aliases }),
      };
      return [key, row];
    }),
  );
}

/**
 * Reads the settings that `load` receives. The message of an error names the variable.
 * @throws SettingsError for an invalid value, MissingSetting for one that must be set
 */
export function pluginContext(plugin: Described, inputs: PluginInputs): PluginContext {
  const { dataDir } = inputs;
  if (plugin.settings === undefined) return { dataDir, settings: {} };
  const rows = pluginSettingRows(plugin);
  const given = new Map([...rows].map(([key, row]) => [key, givenValue(row, inputs)]));
  const values: Record<string, unknown> = {};
  for (const [key, row] of rows) {
    const one = given.get(key) ?? null;
    const parsed = row.schema.safeParse(one?.value);
    if (!parsed.success && one === null) throw missing(row);
    if (!parsed.success) throw badSetting(row, one, parsed.error.issues[0].message);
    if (one !== null) values[key] = row.read(one.value);
  }
  const parsed = plugin.settings.safeParse(values);
  if (parsed.success) return { dataDir, settings: parsed.data };
  const { path, message } = parsed.error.issues[0];
  const row = rows.get(String(path[0]));
  throw row === undefined
    ? new SettingsError(`The settings of plugin ${plugin.name}: ${message}.`)
    : badSetting(row, given.get(String(path[0])) ?? null, message);
}

function missing(row: SettingRow): MissingSetting {
  return new MissingSetting(
    `${row.env} must be set (or ${row.yaml} in the settings file). Example: ${row.example}`,
  );
}

const variablePart = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');

interface FieldDescription {
  meta: Partial<PluginSettingMeta>;
  /** The names are types of JSON schema: string, number, integer, boolean, array, null. */
  types: readonly string[];
}

/** JSON schema merges the inner types of wrappers such as default and nullable. */
function describe(field: z.ZodType): FieldDescription {
  const schema = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
  const alternatives = (schema.anyOf ?? schema.oneOf ?? [schema]) as { type?: string | string[] }[];
  return {
    meta: schema as Partial<PluginSettingMeta>,
    types: alternatives.flatMap(({ type }) => type ?? []),
  };
}

/**
 * Converts an environment variable to the type of its field; an invalid value stays text, and the schema refuses it.
 */
function fromText(value: unknown, types: readonly string[]): unknown {
  if (typeof value !== 'string' || types.includes('string')) return value;
  const text = value.trim();
  const number = Number(text);
  if (types.some((type) => type === 'number' || type === 'integer') && text !== '' && !Number.isNaN(number))
    return number;
  if (types.includes('boolean')) {
    if (truthy.includes(text.toLowerCase())) return true;
    if (falsy.includes(text.toLowerCase())) return false;
  }
  if (types.includes('array')) return text.split(',').map((item) => item.trim());
  return value;
}
