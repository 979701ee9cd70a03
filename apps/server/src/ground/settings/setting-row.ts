import type { z } from 'zod';

/**
 * A setting has its variable, its key in the settings file, its schema (for text or a YAML value) and its
 * text in the reference.
 */
export interface SettingRow<T = unknown> {
  env: string;
  yaml: string;
  /** The schema parses `undefined` to the default. */
  schema: z.ZodType<T>;
  /**
   * The text describes the default if the schema cannot: null, or a value that depends on another setting.
   */
  whenUnset?: string;
  example: string;
  description: string;
  secret?: boolean;
  /** The aliases are read after `env` and `yaml`. */
  aliases?: { env?: string; yaml?: string };
}

/** A folder receives the values of some rows as its slice of the settings. */
export type SliceOf<Rows extends Record<string, SettingRow>> = {
  -readonly [Name in keyof Rows]: z.output<Rows[Name]['schema']>;
};

export function defaultsOf<Rows extends Record<string, SettingRow>>(rows: Rows): SliceOf<Rows> {
  return readSlice(rows, { variables: {}, fileValues: {}, filePath: '' });
}

/** @throws SettingsError */
export function readSlice<Rows extends Record<string, SettingRow>>(
  rows: Rows,
  inputs: SettingInputs,
): SliceOf<Rows> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, readSetting(row, inputs)]),
  ) as SliceOf<Rows>;
}

/** A setting is invalid. The message names the variable and the fault, and gives an example. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

export interface SettingInputs {
  variables: Readonly<Record<string, string | undefined>>;
  /** Each leaf of the settings file is found by its dotted key. */
  fileValues: Readonly<Record<string, unknown>>;
  /** Messages name the settings file by this path. */
  filePath: string;
}

export interface GivenValue {
  value: unknown;
  /** The value was set under this name: `SVC_PORT`, or `server.port in /data/system.yaml`. */
  name: string;
}

/** The environment comes first, then the file. An empty variable counts as not set. */
export function givenValue(row: SettingRow, inputs: SettingInputs): GivenValue | null {
  for (const name of [row.env, row.aliases?.env]) {
    const value = name === undefined ? undefined : inputs.variables[name];
    if (name !== undefined && value !== undefined && value !== '') return { value, name };
  }
  for (const key of [row.yaml, row.aliases?.yaml]) {
    const value = key === undefined ? undefined : (inputs.fileValues[key] ?? undefined);
    if (value !== undefined) return { value, name: `${key} in ${inputs.filePath}` };
  }
  return null;
}

/** @throws SettingsError */
function readSetting(row: SettingRow, inputs: SettingInputs): unknown {
  const given = givenValue(row, inputs);
  const parsed = row.schema.safeParse(given?.value);
  if (parsed.success) return parsed.data;
  throw badSetting(row, given, parsed.error.issues[0].message);
}

export function badSetting(row: SettingRow, given: GivenValue | null, fault: string): SettingsError {
  const shown = row.secret || given === null ? '' : ` ${JSON.stringify(given.value)}`;
  return new SettingsError(`${given?.name ?? row.env}:${shown} ${fault}. Example: ${row.example}`);
}

export function unknownKeys(filePath: string, keys: readonly string[]): SettingsError {
  return new SettingsError(
    `The settings file ${filePath} has unknown keys: ${keys.join(', ')}. docs/reference/settings.md lists the keys.`,
  );
}

/** The reference page and .env.example print the default in this form. */
export function printedDefault({ schema, whenUnset }: SettingRow): string {
  if (whenUnset !== undefined) return whenUnset;
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return 'none: must be set';
  const value = parsed.data;
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',');
  return String(value);
}
