import type {
  BackendPlugin,
  EmbeddingBackend,
  RecordSource,
  Runner,
  RunnerPlugin,
  SourcePlugin,
} from '@kindred/contracts';

/** The routes of the registry list a plugin in this form. */
export type PluginListing<P> =
  | { state: 'available'; packageName: string; plugin: P }
  | { state: 'unavailable'; packageName: string; name: string; reason: string };

/**
 * Finds plugins among the installed packages. Every listing searches again, and a broken plugin never hides
 * the others.
 */
export interface PluginRegistry {
  backends(): Promise<PluginListing<BackendPlugin>[]>;
  sources(): Promise<PluginListing<SourcePlugin>[]>;
  runners(): Promise<PluginListing<RunnerPlugin>[]>;
  /** These functions throw ProblemError backend_unavailable, which names what is installed. */
  backend(name: string): Promise<EmbeddingBackend>;
  source(name: string): Promise<RecordSource>;
  runner(name: string): Promise<Runner>;
  /** Gives what a backend or a runner states about itself, without loading it. */
  backendPlugin(name: string): Promise<BackendPlugin>;
  runnerPlugin(name: string): Promise<RunnerPlugin>;
}
