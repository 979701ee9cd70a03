import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ClientHasher } from '../accounts/client-hash.js';
import type { MailLinks } from '../accounts/mail-links.js';
import type { Principal } from '../accounts/principal.js';
import type { AccountSettings } from '../accounts/settings.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { Broker } from '../work/broker/broker.js';
import type { BenchmarkSettings } from '../ground/settings/benchmark.js';
import type { HttpSlice } from '../ground/settings/http.js';
import type { Memory } from '../ground/memory.js';
import type { ComputePool } from '../ground/pool/pool.js';
import type { PluginRegistry } from '../ground/plugins/registry.js';
import type { Database } from '../store/postgres/db.js';
import type { AnnouncedTable } from '../store/postgres/notifications.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Stack } from './stack-pulls.js';
import type { OpenStreams } from './open-streams.js';
import type { Slims } from './slims.js';

export interface HttpSettings extends AccountSettings, HttpSlice {
  version: string;
  /** Settings SVC_BENCHMARK_*. */
  benchmark: BenchmarkSettings;
  /** Origins of the service as users see it (SVC_BASE_URL): only their pages, and those of the listening address, may write. */
  allowedOrigins: string[];
  /** Path of SVC_BASE_URL, such as `/kindred`; empty at the root of a host. */
  basePath: string;
  /** Value of SVC_RETENTION_UNREFERENCED_ARTIFACT_DAYS. */
  unreferencedArtifactDays: number;
  /** Folder for reference banks. */
  cacheDir: string;
  /** Folder of the built web client, or null. */
  webRoot: string | null;
}

/** Parts that the routes may use; composed by main, and by every test. */
export interface HttpDeps {
  db: Database;
  broker: Broker;
  plugins: PluginRegistry;
  artifacts: ArtifactStore;
  /** Refuses an address that the workers' rules do not let them open (ProblemError). */
  checkAddress: (address: string) => Promise<void>;
  /** Refuses an address that webhooks may not lead to (ProblemError). */
  checkWebhookAddress: (address: string) => void;
  /** Pool for work that would hold up other requests. */
  compute: ComputePool;
  /** Values that requests leave to those that follow. */
  memory: Memory;
  settings: HttpSettings;
  /** Log; null: none. */
  log: FastifyBaseLogger | null;
  /** Signal that the process is about to stop: it is no longer ready, and its connections end with their next reply. */
  stopping?: AbortSignal;
  /** null: no mail server is set up; its routes answer 404. */
  mail: MailLinks | null;
  /** Absent: no repository is configured (SVC_STACK_REPOSITORIES). */
  stack?: Stack;
  /** null: metrics are not available (503). */
  metrics: Metrics | null;
}

/** What the replies to several requests have in common: values such as a total, and what callers know already. */
export interface SharedValues {
  /**
   * The value by its name, made again once one of the tables has changed, or after ten seconds. Made for every call while the process does
   * not hear of changes.
   */
  shared<V>(name: string, madeOf: readonly AnnouncedTable[], make: () => Promise<V>): Promise<V>;
  /** Notes that a caller was given news within a reply, a stream: no later reply is older. Replies as a whole are noted without it. */
  said(): void;
}

/** Parts that a resource's routes get. */
export interface RouteDeps extends HttpDeps {
  clients: ClientHasher;
  slims: Slims;
  streams: OpenStreams;
  replies: SharedValues;
}

export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;
export type RouteModule = (api: Api, deps: RouteDeps) => void;

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
  interface FastifyInstance {
    /** `basePath` of the settings, which begins every path that users are given. */
    basePath: string;
  }
}
