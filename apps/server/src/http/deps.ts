import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ClientHasher } from '../accounts/client-hash.js';
import type { Institutions } from '../accounts/institutions.js';
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
import type { Ontologies } from './ontologies.js';
import type { Slims } from './slims.js';

export interface HttpSettings extends AccountSettings, HttpSlice {
  version: string;
  /** The settings SVC_BENCHMARK_* give these values. */
  benchmark: BenchmarkSettings;
  /**
   * Users see the service at these origins (SVC_BASE_URL). Only pages of these origins, and of the listening
   * address, may write.
   */
  allowedOrigins: string[];
  /** SVC_BASE_URL ends with this path, such as `/kindred`; it is empty at the root of a host. */
  basePath: string;
  /** SVC_RETENTION_UNREFERENCED_ARTIFACT_DAYS sets this number. */
  unreferencedArtifactDays: number;
  /** Reference banks are kept in this folder. */
  cacheDir: string;
  /** The built web client is in this folder; null if it was not built. */
  webRoot: string | null;
  /** The files of the sequence network are in this folder, if they were installed. */
  networkFolder: string;
}

/** The routes may use these parts. main composes them for the service, and each test for itself. */
export interface HttpDeps {
  db: Database;
  broker: Broker;
  plugins: PluginRegistry;
  artifacts: ArtifactStore;
  /** Refuses an address that the workers' rules do not let them open (ProblemError). */
  checkAddress: (address: string) => Promise<void>;
  /** Refuses an address that webhooks may not lead to (ProblemError). */
  checkWebhookAddress: (address: string) => void;
  /** The pool takes work that would hold up other requests. */
  compute: ComputePool;
  /** A request leaves values here that the next ones can use. */
  memory: Memory;
  settings: HttpSettings;
  /** A null log turns logging off. */
  log: FastifyBaseLogger | null;
  /**
   * The signal says that the process is about to stop: it is no longer ready, and its connections end with
   * their next reply.
   */
  stopping?: AbortSignal;
  /** If null, no mail server is set up, and its routes answer 404. */
  mail: MailLinks | null;
  /** If absent, no institution is set up (SVC_OIDC_PROVIDERS), and its routes list none or answer 404. */
  institutions?: Institutions;
  /** If absent, no repository is configured (SVC_STACK_REPOSITORIES). */
  stack?: Stack;
  /** If null, metrics are not available (503). */
  metrics: Metrics | null;
}

/**
 * The replies to several requests share values such as a total, and facts about what callers already know.
 */
export interface SharedValues {
  /**
   * Returns the value by its name. It is made again once one of the tables has changed, or after ten seconds.
   * While the process receives no notices of changes, each call makes it.
   */
  shared<V>(name: string, madeOf: readonly AnnouncedTable[], make: () => Promise<V>): Promise<V>;
  /**
   * Notes that a stream has given news to a caller: no later reply may be older. Replies as a whole are noted
   * without this call.
   */
  said(): void;
}

/** The routes of a resource get these parts. */
export interface RouteDeps extends HttpDeps {
  clients: ClientHasher;
  ontologies: Ontologies;
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
    /** Every path that users are given begins with the `basePath` of the settings. */
    basePath: string;
  }
}
