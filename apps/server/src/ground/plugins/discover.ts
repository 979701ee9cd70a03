import { resolve } from 'node:path';
import {
  type BackendPlugin,
  type EmbeddingBackend,
  type Plugin,
  ProblemError,
  type RecordSource,
  type Runner,
  type RunnerPlugin,
  type SourcePlugin,
} from '@kindred/contracts';
import type { PluginInputs } from '../settings/plugin-inputs.js';
import { declaredKind, loadPlugin } from './load-plugin.js';
import { pluginContext } from './plugin-settings.js';
import type { PluginListing, PluginRegistry } from './registry.js';
import { moduleFolders, scanPackages } from './scan.js';

type Kind = Plugin['kind'];
type InstanceOf = { backend: EmbeddingBackend; source: RecordSource; runner: Runner };
type OfKind = { backend: BackendPlugin; source: SourcePlugin; runner: RunnerPlugin };

export interface PluginRegistryOptions {
  /**
   * The search covers these folders (node_modules). Without them, it covers the folders that the server's
   * modules are resolved from.
   */
  folders?: readonly string[];
  /** The plugins' settings are read from these inputs. Without them, no setting is set. */
  inputs?: PluginInputs;
}

const defaultInputs = (): PluginInputs => ({
  dataDir: resolve('data'),
  variables: {},
  fileValues: {},
  filePath: '',
});

/** Every call searches for plugins again, but `load()` runs once for each plugin object. */
export function createPluginRegistry(options: PluginRegistryOptions = {}): PluginRegistry {
  const folders = options.folders ?? moduleFolders();
  const inputs = options.inputs ?? defaultInputs();
  const loaded = new WeakMap<Plugin, Promise<unknown>>();
  const list = <K extends Kind>(kind: K) => listPlugins(folders, kind, inputs);

  async function find<K extends Kind>(kind: K, name: string): Promise<OfKind[K]> {
    const listings = await list(kind);
    const wanted = listings.find((listing) => nameOf(listing) === name);
    if (wanted?.state !== 'available') throw missing(kind, name, listings);
    return wanted.plugin;
  }

  async function open<K extends Kind>(kind: K, name: string): Promise<InstanceOf[K]> {
    const plugin: Plugin = await find(kind, name);
    let instance = loaded.get(plugin);
    if (!instance) {
      instance = plugin.load(pluginContext(plugin, inputs));
      loaded.set(plugin, instance);
      // A load that failed is tried again at the next call.
      instance.catch(() => loaded.delete(plugin));
    }
    return (await instance) as InstanceOf[K];
  }

  return {
    backends: () => list('backend'),
    sources: () => list('source'),
    runners: () => list('runner'),
    backend: (name) => open('backend', name),
    source: (name) => open('source', name),
    runner: (name) => open('runner', name),
    backendPlugin: (name) => find('backend', name),
    runnerPlugin: (name) => find('runner', name),
  };
}

async function listPlugins<K extends Kind>(
  folders: readonly string[],
  kind: K,
  inputs: PluginInputs,
): Promise<PluginListing<OfKind[K]>[]> {
  const packages = (await scanPackages(folders)).filter((found) => (declaredKind(found) ?? kind) === kind);
  const listings = await Promise.all(packages.map((found) => loadPlugin(found, inputs)));
  return withoutTwins(listings as PluginListing<OfKind[K]>[]);
}

const nameOf = (listing: PluginListing<Plugin>) =>
  listing.state === 'available' ? listing.plugin.name : listing.name;

/**
 * Two plugins of the same name are both refused, because a configuration that names them would be ambiguous.
 */
function withoutTwins<P extends Plugin>(listings: PluginListing<P>[]): PluginListing<P>[] {
  return listings.map((listing) => {
    if (listing.state !== 'available') return listing;
    const { name } = listing.plugin;
    const twins = listings.filter((other) => other.state === 'available' && other.plugin.name === name);
    if (twins.length === 1) return listing;
    const packages = twins.map((twin) => twin.packageName).join(' and ');
    const reason = `${packages} offer the same name ${name}: uninstall all but one`;
    return { state: 'unavailable', packageName: listing.packageName, name, reason };
  });
}

function missing(kind: Kind, name: string, listings: readonly PluginListing<Plugin>[]): ProblemError {
  const broken = listings.find((listing) => listing.state === 'unavailable' && listing.name === name);
  const installed = listings.filter((listing) => listing.state === 'available').map(nameOf);
  const why =
    broken?.state === 'unavailable'
      ? `The ${kind} ${name} (package ${broken.packageName}) cannot be used: ${broken.reason}.`
      : `No ${kind} ${name} is installed.`;
  const others = installed.length > 0 ? `Installed: ${installed.join(', ')}.` : `No ${kind} is installed.`;
  return new ProblemError('backend_unavailable', `${why} ${others}`);
}
