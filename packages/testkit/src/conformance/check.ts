import assert from 'node:assert/strict';
import type { Plugin, PluginContext } from '@kindred/contracts';

/** One requirement of a plugin; `run` rejects with the fault. Pass it to any test framework: `it(name, run)`. */
export interface Check {
  name: string;
  run(): Promise<void>;
}

/** Makes a context with default settings. */
export const testContext = ({ settings }: Plugin): PluginContext => ({
  dataDir: '',
  settings: settings?.safeParse({}).data ?? {},
});

/** Lists the requirements for plugins of every kind. */
export function descriptionChecks(plugin: Plugin, kind: Plugin['kind']): Check[] {
  return [
    {
      name: 'describes itself',
      run: async () => {
        assert.equal(plugin.kind, kind);
        assert.match(plugin.name, /^[a-z0-9][a-z0-9._-]*$/, 'name: a-z, 0-9, dot, underscore and hyphen');
        assert.match(plugin.version, /^\d+\.\d+\.\d+/, 'version: as npm writes it');
        assert.ok(plugin.description.length > 0, 'description is empty');
        assert.ok(Array.isArray(plugin.citations), 'citations must be a list');
        assert.equal(typeof plugin.parameters.safeParse, 'function', 'parameters must be a zod object');
      },
    },
    {
      name: 'refuses parameters that it does not know',
      run: async () => {
        const parsed = plugin.parameters.safeParse({ no_plugin_has_this: 1 });
        assert.equal(parsed.success, false, 'an unknown parameter is taken and dropped; use z.strictObject');
        const codes = parsed.error?.issues.map(({ code }) => code) ?? [];
        assert.ok(codes.includes('unrecognized_keys'), `faults are ${codes.join(', ')}; use z.strictObject`);
      },
    },
  ];
}

/** Resolves with the error of `work`; rejects if `work` succeeds. */
export async function rejection(work: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  assert.fail(`${what} was not refused`);
}

/** Makes numbers from 0 to 1, which are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
