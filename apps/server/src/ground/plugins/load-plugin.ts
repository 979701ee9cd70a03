import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Plugin, type PluginContext, pluginContract } from '@kindred/contracts';
import { methodReferences } from '@kindred/contracts/resources/exports';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { z } from 'zod';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { pluginContext } from './plugin-settings.js';
import type { PluginListing } from './registry.js';
import { entryUrl, type FoundPackage } from './scan.js';

const declarationSchema = z.looseObject({
  contract: z.int(),
  kind: z.enum(['backend', 'source', 'runner']),
  entry: z.string().regex(/^\.\/(?!.*\.\.)/, 'must be a path within the package that starts with ./'),
});
const optionalFunction = z
  .custom((value) => value === undefined || typeof value === 'function', 'must be a function')
  .optional();
const describedPlugin = z.looseObject({
  kind: z.string(),
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be of a-z, 0-9, dot, underscore and hyphen'),
  version: z.string().min(1),
  description: z.string().min(1),
  citations: z.array(z.string()),
  parameters: z.custom(isObjectSchema, 'must be a zod object schema'),
  settings: z
    .custom((value) => value === undefined || isObjectSchema(value), 'must be a zod object schema')
    .optional(),
  commands: z
    .looseObject({
      name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be of a-z, 0-9 and hyphen'),
      description: z.string().min(1),
      commands: z.array(z.looseObject({ name: z.string().min(1), description: z.string().min(1) })),
    })
    .optional(),
  load: z.custom((value) => typeof value === 'function', 'must be a function'),
  check: optionalFunction,
  examine: optionalFunction,
});
const checkLimitMs = 5000;
/** Predictions carry the name of their runner, so a plugin must not take the name of another method. */
const namesOfMethods = new Set(
  [...Object.keys(methodReferences), 'untrained', 'reranker'].filter((name) => name !== defaultRunner),
);

/**
 * Loads the entry of a package and checks it against the contract. The function never throws: an error
 * becomes the reason in the listing.
 */
export async function loadPlugin(found: FoundPackage, inputs: PluginInputs): Promise<PluginListing<Plugin>> {
  const named = found.packageName.replace(/^@[^/]+\//, '').replace(/^(backend|source|runner)-/, '');
  const unavailable = (reason: string, name = named): PluginListing<Plugin> => ({
    state: 'unavailable',
    packageName: found.packageName,
    name,
    reason,
  });
  const imported = await importDeclared(found);
  if ('reason' in imported) return unavailable(imported.reason, imported.name);
  const refusal = await refusalOf(imported.plugin, inputs);
  return refusal === null
    ? { state: 'available', packageName: found.packageName, plugin: imported.plugin }
    : unavailable(refusal, imported.plugin.name);
}

/**
 * Imports the plugin that a package exports and checks it against the contract, without reading its settings.
 * The function never throws.
 */
export async function importDeclared(
  found: FoundPackage,
): Promise<{ plugin: Plugin } | { reason: string; name?: string }> {
  const declared = declarationSchema.safeParse(found.declaration);
  if (!declared.success) return { reason: `package.json: kindred${faultOf(declared.error)}` };
  const { contract, kind, entry } = declared.data;
  if (contract !== pluginContract)
    return { reason: `it was made for plugin contract ${contract}; this service has ${pluginContract}` };
  try {
    const { plugin } = (await importFresh(found, entry)) as { plugin?: unknown };
    const described = describedPlugin.safeParse(plugin);
    if (!described.success) return { reason: `the exported plugin${faultOf(described.error)}` };
    const usable = plugin as Plugin;
    if (usable.kind === 'runner' && namesOfMethods.has(usable.name))
      return {
        reason: `${usable.name} is the name of a method of the service; choose another`,
        name: usable.name,
      };
    if (usable.kind === kind) return { plugin: usable };
    return { reason: `package.json says ${kind}, the exported plugin ${usable.kind}`, name: usable.name };
  } catch (error) {
    return { reason: `its entry ${entry} could not be loaded: ${messageOf(error)}` };
  }
}

/** Reads the kind of a declaration that may otherwise be broken; null if it names none. */
export function declaredKind(found: FoundPackage): Plugin['kind'] | null {
  const kind = (found.declaration as { kind?: unknown } | null)?.kind;
  return kind === 'backend' || kind === 'source' || kind === 'runner' ? kind : null;
}

async function refusalOf(plugin: Plugin, inputs: PluginInputs): Promise<string | null> {
  let context: PluginContext;
  try {
    context = pluginContext(plugin, inputs);
  } catch (error) {
    return messageOf(error);
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`its check took more than ${checkLimitMs / 1000} s`)),
      checkLimitMs,
    );
  });
  try {
    await Promise.race([plugin.check?.(context), limit]);
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
  }
}

const firstStamps = new Map<string, string>();

/**
 * Loads a package again if it was replaced while the service runs: the imported URL includes its version and
 * modification time.
 */
async function importFresh(found: FoundPackage, entry: string): Promise<unknown> {
  const url = entryUrl(found, entry);
  const { mtimeMs } = await stat(fileURLToPath(url));
  const stamp = `${found.packageVersion}-${mtimeMs}`;
  const first = firstStamps.get(url) ?? stamp;
  firstStamps.set(url, first);
  return import(/* @vite-ignore */ first === stamp ? url : `${url}?${encodeURIComponent(stamp)}`);
}

function isObjectSchema(value: unknown): boolean {
  const schema = value as { shape?: unknown; safeParse?: unknown } | null;
  return typeof schema?.shape === 'object' && typeof schema.safeParse === 'function';
}

function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue.path.map((part) => `.${String(part)}`).join('')}: ${issue.message}`;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0];
