import { z } from '@kindred/contracts';
import { describe, expect, it } from 'vitest';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { printedDefault, SettingsError } from '../settings/setting-row.js';
import { MissingSetting, pluginContext, pluginSettingRows } from './plugin-settings.js';

const settings = z.strictObject({
  api_key: z.string().min(8, 'must have 8 characters or more').meta({
    description: 'Key of the service',
    example: '(8 characters)',
    secret: true,
  }),
  batch_size: z
    .number()
    .int()
    .min(1)
    .default(16)
    .meta({ description: 'Sequences per request', example: '32' }),
  verify: z.boolean().default(true).meta({ description: 'Check the certificate', example: 'false' }),
  regions: z
    .array(z.enum(['eu', 'us']))
    .nullable()
    .default(null)
    .meta({
      description: 'Where to compute',
      example: 'eu,us',
      aliases: { env: 'SVC_REGIONS', yaml: 'hosted.regions' },
    }),
});
const plugin = { name: 'hosted-esm.2', settings };
const inputs = (
  variables: Record<string, string> = {},
  fileValues: Record<string, unknown> = {},
): PluginInputs => ({
  dataDir: '/data',
  variables,
  fileValues,
  filePath: '/data/system.yaml',
});
const key = { SVC_PLUGIN_HOSTED_ESM_2_API_KEY: 'long-enough' };
const read = (variables = {}, fileValues = {}) =>
  pluginContext(plugin, inputs({ ...key, ...variables }, fileValues)).settings;

describe('settings of a plugin', () => {
  it('have their defaults', () => {
    expect(read()).toEqual({ api_key: 'long-enough', batch_size: 16, verify: true, regions: null });
    expect(pluginContext({ name: 'bare', settings: undefined }, inputs())).toEqual({
      dataDir: '/data',
      settings: {},
    });
  });

  it('become numbers, truth values and lists from the text of a variable', () => {
    const variables = {
      SVC_PLUGIN_HOSTED_ESM_2_BATCH_SIZE: '32',
      SVC_PLUGIN_HOSTED_ESM_2_VERIFY: 'No',
      SVC_PLUGIN_HOSTED_ESM_2_REGIONS: 'us, eu',
    };
    expect(read(variables)).toMatchObject({ batch_size: 32, verify: false, regions: ['us', 'eu'] });
  });

  it('come from the variable, then its alias, then the file, then its alias', () => {
    const file = { 'hosted.regions': ['eu'] };
    expect(read({}, file)).toMatchObject({ regions: ['eu'] });
    expect(read({}, { ...file, 'plugins.hosted-esm.2.regions': ['us'] })).toMatchObject({ regions: ['us'] });
    expect(read({ SVC_REGIONS: 'eu,us' }, file)).toMatchObject({ regions: ['eu', 'us'] });
    expect(read({ SVC_REGIONS: 'eu', SVC_PLUGIN_HOSTED_ESM_2_REGIONS: 'us' })).toMatchObject({
      regions: ['us'],
    });
  });

  it('are refused by the name that they were given under, with an example', () => {
    expect(() => read({ SVC_PLUGIN_HOSTED_ESM_2_BATCH_SIZE: 'many' })).toThrow(
      /^SVC_PLUGIN_HOSTED_ESM_2_BATCH_SIZE: "many" .*Example: 32$/,
    );
    expect(() => read({ SVC_REGIONS: 'mars' })).toThrow(/^SVC_REGIONS: "mars"/);
    expect(() => read({}, { 'plugins.hosted-esm.2.verify': 'perhaps' })).toThrow(
      /^plugins.hosted-esm.2.verify in \/data\/system.yaml: "perhaps"/,
    );
  });

  it('never show a secret, and say which variable is missing', () => {
    const short = { SVC_PLUGIN_HOSTED_ESM_2_API_KEY: 'short' };
    expect(() => pluginContext(plugin, inputs(short))).toThrow(SettingsError);
    expect(() => pluginContext(plugin, inputs(short))).toThrow(
      /^SVC_PLUGIN_HOSTED_ESM_2_API_KEY: must have 8/,
    );
    expect(() => pluginContext(plugin, inputs())).toThrow(MissingSetting);
    expect(() => pluginContext(plugin, inputs())).toThrow(/SVC_PLUGIN_HOSTED_ESM_2_API_KEY must be set/);
  });

  it('describe themselves to the reference page', () => {
    const rows = [...pluginSettingRows(plugin).values()];
    expect(rows.map(printedDefault)).toEqual(['none: must be set', '16', 'true', 'none']);
    expect(rows.map((row) => row.description)).toEqual([
      'Key of the service',
      'Sequences per request',
      'Check the certificate',
      'Where to compute',
    ]);
  });
});
