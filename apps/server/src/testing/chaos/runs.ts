import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import type { Broker } from '../../work/broker/broker.js';
import { createEmbeddedBroker } from '../../work/broker/embedded.js';
import { createRabbitBroker } from '../../work/broker/rabbitmq.js';
import { startEmbeddedPostgres } from '../../run/embedded/postgres.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { until } from '../worker/harness.js';
import { answers, type Digests, digests, filesOf, leftInDatabase, openInDatabase } from './digests.js';
import { ChaosService, processesOf } from './service.js';

export interface Run {
  service: ChaosService;
  dataDir: string;
  temporary: string;
  /** The run uses this database; null stands for the embedded one. */
  database: { name: string; url: string } | null;
}

interface RunsOptions {
  /** The data of all runs are in this folder. */
  folder: string;
  /**
   * Databases may be made on this server: it has its own address, and that of a database on it. Null means
   * that each service has its embedded one.
   */
  postgres: { server: string; addressOf(database: string): string } | null;
  amqp?: string;
  /** If null, each service has a folder. */
  bucket?: { store: ArtifactStore; env: NodeJS.ProcessEnv } | null;
  /** Every service gets this environment. */
  env?: NodeJS.ProcessEnv;
}

/** The servers may be reached by other addresses. */
interface Ways {
  database?: (database: string) => Promise<string>;
  amqp?: string;
}

/** The services have the same start, and are then disturbed or not, and compared. */
export class Runs {
  readonly #services: ChaosService[] = [];
  /** The databases of these names were made. */
  readonly #made: string[] = [];
  /** The bucket had these objects before the first copy was made. */
  #objects: Set<string> | null = null;
  readonly #options: RunsOptions;

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Ends everything, even after a failure. */
  async close(): Promise<void> {
    for (const service of this.#services) await service.abandon();
    for (const name of this.#made)
      await this.#onServer((db) => db.pool.query(`drop database if exists ${name} with (force)`));
  }

  /** Runs on a separate connection, because the server may be another one the next time. */
  async #onServer(work: (db: Database) => Promise<unknown>): Promise<void> {
    const db = openDatabase(this.#options.postgres?.server as string, 1);
    try {
      await work(db);
    } finally {
      await closeDatabase(db);
    }
  }

  /** Makes an empty database on that server, or a copy of another one there. */
  async #newDatabase(template = 'template1'): Promise<Run['database']> {
    const { postgres } = this.#options;
    if (postgres === null) return null;
    const name = `kindred_chaos_${process.pid}_${this.#made.length}`;
    await this.#onServer((db) => db.pool.query(`create database ${name} template ${template}`));
    this.#made.push(name);
    return { name, url: postgres.addressOf(name) };
  }

  /** Restores the bucket to its state before the first copy, because the runs come one after the other. */
  async #resetBucket(): Promise<void> {
    const { bucket } = this.#options;
    if (!bucket) return;
    const found: string[] = [];
    for await (const { uri } of bucket.store.list()) found.push(uri);
    this.#objects ??= new Set(found);
    for (const uri of found) if (!this.#objects.has(uri)) await bucket.store.delete(uri);
  }

  /**
   * Makes a service on its own folder, which is a copy of `from` if given. It may have other ways to its
   * servers.
   */
  async make(name: string, from?: Run, ways: Ways = {}): Promise<Run> {
    const { folder, bucket, env } = this.#options;
    const amqp = ways.amqp ?? this.#options.amqp;
    const place = join(folder, name);
    const database = await this.#newDatabase(from?.database?.name);
    if (database !== null && ways.database !== undefined) database.url = await ways.database(database.name);
    const run = { dataDir: join(place, 'data'), temporary: join(place, 'tmp'), database };
    await mkdir(run.temporary, { recursive: true });
    // The folder is copied with its owner, who owns the database's files.
    if (from) await promisify(execFile)('cp', ['-a', from.dataDir, run.dataDir]);
    if (from) await this.#resetBucket();
    const service = new ChaosService(run.dataDir, {
      TMPDIR: run.temporary,
      SVC_IMPORT_DIR: folder,
      SVC_LOAD_EXAMPLES: 'false',
      SVC_LEASE_SECONDS: '10',
      SVC_SWEEP_PERIOD_MS: '1000',
      SVC_RATELIMIT_JOBS: '100000/minute',
      ...(database === null ? {} : { SVC_DB_URL: database.url, SVC_AUTHN_REQUIRED: 'false' }),
      ...(amqp === undefined ? {} : { SVC_AMQP_URL: amqp }),
      ...bucket?.env,
      ...env,
    });
    this.#services.push(service);
    return { ...run, service };
  }

  async #withDatabase<T>(run: Run, work: (db: Database, broker: Broker) => Promise<T>): Promise<T> {
    const { amqp } = this.#options;
    const url = run.database?.url ?? (await startEmbeddedPostgres(join(run.dataDir, 'postgres'))).url;
    const db = openDatabase(url, 2);
    const broker = amqp === undefined ? createEmbeddedBroker(db) : createRabbitBroker(amqp);
    try {
      return await work(db, broker);
    } finally {
      await broker.close();
      await closeDatabase(db);
    }
  }

  /** Collects everything that the run has written, and stops the service, which must leave nothing behind. */
  async settle(run: Run): Promise<{ written: Digests; files: string[]; artifactFiles: number }> {
    const { bucket } = this.#options;
    const written = await this.#withDatabase(run, async (db, broker) => {
      // The last message may be acknowledged, and the last lost worker forgotten, after the last job has
      // ended.
      await until(async () => Object.keys(await leftInDatabase(db, broker)).length === 0).catch(async () =>
        expect(await leftInDatabase(db, broker)).toEqual({}),
      );
      return digests(db, bucket?.store ?? createLocalArtifacts(join(run.dataDir, 'artifacts')));
    });
    const files = await this.#stop(run);
    // The files are counted on disk, because the store does not show drafts.
    const artifactFiles = (await filesOf(join(run.dataDir, 'artifacts'))).length;
    return { written, files, artifactFiles };
  }

  /** Settles like `settle`, but jobs may have failed and their work may have been submitted again. */
  async settleAnswers(run: Run): Promise<{ answers: Record<string, string>; files: string[] }> {
    const found = await this.#withDatabase(run, async (db, broker) => {
      await until(async () => Object.keys(await openInDatabase(db, broker)).length === 0).catch(async () =>
        expect(await openInDatabase(db, broker)).toEqual({}),
      );
      return answers(db);
    });
    return { answers: found, files: await this.#stop(run) };
  }

  /**
   * Stops the service, which must leave no process and no temporary file, and gives the files of its data
   * folder.
   */
  async #stop(run: Run): Promise<string[]> {
    await run.service.stop();
    // The guard of the database server ends when it sees that the supervisor has ended.
    await until(() => processesOf(run.dataDir).length === 0);
    expect(await filesOf(run.temporary)).toEqual([]);
    // Files of the database server and the logs are left out, because they may differ.
    return (await filesOf(run.dataDir)).filter((name) => !/^(postgres|logs|artifacts)\//.test(name));
  }
}
