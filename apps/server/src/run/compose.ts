import { type RetryRule, retryPolicy } from '../ground/retry-policy.js';
import { createInstitutions, type Institutions } from '../accounts/institutions.js';
import { createMailLinks } from '../accounts/mail-links.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { createS3Artifacts } from '../ground/artifacts/s3.js';
import { createEmbeddedBroker } from '../work/broker/embedded.js';
import type { Broker } from '../work/broker/broker.js';
import { createRabbitBroker } from '../work/broker/rabbitmq.js';
import { Memory } from '../ground/memory.js';
import { createComputePool } from '../ground/pool/thread-pool.js';
import { type Settings, shippedStack } from './env.js';
import { examplesFolder, networkFolder, webFolder } from '../ground/folders.js';
import type { HttpDeps } from '../http/deps.js';
import type { OperationServices } from '../work/operation/operation.js';
import { createPluginRegistry } from '../ground/plugins/discover.js';
import { createSourceOpener, noRetry } from '../ground/sources/opener.js';
import { createPoster, type Poster } from '../ground/sources/poster.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/db.js';
import { findReferenceFile } from '../store/references/reference-files.repository.js';
import { FaultLog } from '../telemetry/fault-log.js';
import { createLog } from '../telemetry/log.js';
import { createMetrics } from '../telemetry/metrics.js';
import { productVersion } from '../ground/version.js';

/** No other file names concrete implementations. */

export type Log = ReturnType<typeof createLog>;

export function composeDatabase(settings: Settings): Database {
  if (settings.dbUrl === null) {
    throw new Error(
      'This role needs a database: set SVC_DB_URL, or use "kindred serve", which starts the embedded one.',
    );
  }
  return openDatabase(settings.dbUrl, settings.dbConnections);
}

/**
 * Opens the database for one task of the command line. An embedded server that this call starts ends with the
 * task, even if the command is killed. A server that already runs belongs to the service, and stays.
 */
export async function withDatabase<T>(settings: Settings, work: (db: Database) => Promise<T>): Promise<T> {
  const { startEmbeddedPostgres } = await import('./embedded/postgres.js');
  const { embeddedFolder } = await import('./supervise/serve.js');
  const embedded =
    settings.dbUrl === null
      ? await startEmbeddedPostgres(embeddedFolder(settings), { endsWithProcess: 'when_started' })
      : null;
  const db = openDatabase(settings.dbUrl ?? (embedded?.url as string), 2);
  try {
    return await work(db);
  } finally {
    await closeDatabase(db);
    if (embedded?.started) await embedded.stop();
  }
}

export function composeBroker(settings: Settings, db: Database, log: Log): Broker {
  const faults = new FaultLog(log);
  const onFault = (error: Error, about: string) => faults.failed(about, error);
  return settings.amqpUrl === null
    ? createEmbeddedBroker(db, { onFault })
    : createRabbitBroker(settings.amqpUrl, { onFault, queueType: settings.amqpQueueType });
}

export function composeArtifacts(
  { artifacts }: Settings,
  retry?: Pick<RetryRule, 'retries' | 'pause'>,
): ArtifactStore {
  if (artifacts.backend === 'local') return createLocalArtifacts(artifacts.folder);
  return createS3Artifacts({ ...artifacts, retry });
}

function composeStack(settings: Settings): HttpDeps['stack'] {
  const { stackRepositories, stackApiUrl: apiUrl } = settings;
  const opener = createSourceOpener({
    importDirs: [],
    allowedHosts: [new URL(apiUrl).host],
    // The caller is waiting for the response.
    retry: noRetry,
    userAgent: `kindred/${productVersion}`,
  });
  return {
    repositories: stackRepositories ?? shippedStack(),
    apiUrl,
    token: settings.githubToken,
    cacheSeconds: settings.stackCacheSeconds,
    open: (url, options) => opener.open(url, options),
  };
}

function composeSources(settings: Settings, db: Database) {
  const artifacts = composeArtifacts(settings);
  return createSourceOpener({
    sentFile: async (sha256) => {
      const file = await findReferenceFile(db, sha256);
      if (file === undefined) return null;
      return { sizeBytes: file.size_bytes, bytes: artifacts.get(file.uri) };
    },
    importDirs: [settings.importDir, examplesFolder],
    allowedHosts: settings.fetchAllowedHosts,
    userAgent: `kindred/${productVersion}`,
  });
}

export function composePoster({ webhookAllowedHosts: allowedHosts }: Settings): Poster {
  return createPoster({ allowedHosts, userAgent: `kindred/${productVersion}` });
}

function composeInstitutions({ institutions, accounts }: Settings): Institutions | undefined {
  if (institutions === null) return undefined;
  const { listed, baseUrl } = institutions;
  return createInstitutions({ institutions: listed, jwtSecret: accounts.jwtSecret, baseUrl });
}

export function composeHttp(settings: Settings, db: Database, log: Log, stopping?: AbortSignal): HttpDeps {
  const broker = composeBroker(settings, db, log);
  return {
    stopping,
    db,
    broker,
    plugins: createPluginRegistry({ inputs: settings.plugins }),
    artifacts: composeArtifacts(settings),
    checkAddress: composeSources(settings, db).check,
    checkWebhookAddress: composePoster(settings).check,
    stack: composeStack(settings),
    // Threads start with the first task; most API processes never run one.
    compute: createComputePool({ size: 1, native: settings.nativeKernels }),
    memory: new Memory(),
    log,
    metrics: createMetrics(db, { depth: (queue) => broker.depth(queue), dataDir: settings.dataDir }),
    institutions: composeInstitutions(settings),
    mail: settings.mail === null ? null : createMailLinks(db, settings.mail, log),
    settings: {
      ...settings.accounts,
      ...settings.http,
      version: productVersion,
      benchmark: settings.benchmark,
      unreferencedArtifactDays: settings.retention.unreferencedArtifactDays,
      allowedOrigins: settings.baseUrl === null ? [] : [new URL(settings.baseUrl).origin],
      basePath: settings.basePath,
      cacheDir: settings.dataDir,
      webRoot: webFolder,
      networkFolder,
    },
  };
}

export function composeServices(settings: Settings, db: Database): OperationServices {
  return {
    db,
    compute: createComputePool({
      size: settings.computeThreads || undefined,
      plugins: settings.plugins,
      native: settings.nativeKernels,
    }),
    memory: new Memory(),
    plugins: createPluginRegistry({ inputs: settings.plugins }),
    sources: composeSources(settings, db),
    artifacts: composeArtifacts(settings, retryPolicy.artifactRequest),
    settings: {
      cacheDir: settings.dataDir,
      goPredictionJsonbWriteEnabled: settings.jsonbWrite,
      interproscan: {
        command: settings.interproscanCommand,
        serviceUrl: settings.interproscanUrl,
        email: settings.interproscanEmail,
      },
      anc2vecFile: settings.anc2vecFile,
      producerVersion: productVersion,
      packs: {
        trustedKeys: settings.packTrustedKeys,
        signatureDemanded: settings.packSignatureDemanded,
      },
    },
  };
}
