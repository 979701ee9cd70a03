import type {
  BackendPlugin,
  EmbeddingBackend,
  RecordSource,
  Runner,
  RunnerPlugin,
  SourcePlugin,
} from '@kindred/contracts';

/** A plugin as the registry routes list it. */
export type PluginListing<P> =
  | { state: 'available'; packageName: string; plugin: P }
  | { state: 'unavailable'; packageName: string; name: string; reason: string };

/**
 * Finds plugins among the installed packages; every listing searches again, and a broken plugin never hides the others.
 */
export interface PluginRegistry {
  backends(): Promise<PluginListing<BackendPlugin>[]>;
  sources(): Promise<PluginListing<SourcePlugin>[]>;
  runners(): Promise<PluginListing<RunnerPlugin>[]>;
  /** All of these throw ProblemError backend_unavailable, which names what is installed. */
  backend(name: string): Promise<EmbeddingBackend>;
  source(name: string): Promise<RecordSource>;
  runner(name: string): Promise<Runner>;
  /** Facts that a runner states about itself, without loading it. */
  runnerPlugin(name: string): Promise<RunnerPlugin>;
}
