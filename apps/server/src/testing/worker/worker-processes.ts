import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OperationName } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import type { Broker } from '../../work/broker/broker.js';
import { createEmbeddedBroker } from '../../work/broker/embedded.js';
import { submitJob } from '../../work/jobs/submit.js';
import type { Database } from '../../store/postgres/connection.js';
import { insertEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { type EndedJob, untilStatus } from './harness.js';

const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** Runs real worker processes with their own data folder. */
export class WorkerProcesses {
  readonly broker: Broker;
  readonly #processes: ChildProcess[] = [];
  readonly #db: Database;
  readonly #environment: Record<string, string>;

  private constructor(
    db: Database,
    /** The workers have this data folder; by default, they may load files from it. */
    readonly folder: string,
    environment: Record<string, string>,
  ) {
    this.#db = db;
    this.#environment = environment;
    this.broker = createEmbeddedBroker(db);
  }

  /** Starts no process yet. `environment` overrides the settings given here. */
  static async on(
    { db, url }: { db: Database; url: string },
    environment: (folder: string) => Record<string, string> = () => ({}),
  ): Promise<WorkerProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'kindred-worker-'));
    const defaults = {
      SVC_DB_URL: url,
      SVC_DATA_DIR: folder,
      SVC_IMPORT_DIR: folder,
      SVC_COMPUTE_THREADS: '1',
    };
    return new WorkerProcesses(db, folder, { ...defaults, ...environment(folder) });
  }

  start(): void {
    const env = { PATH: process.env.PATH, SVC_LOG_LEVEL: 'error', ...this.#environment };
    this.#processes.push(
      spawn(process.execPath, [main, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
    );
  }

  /** Submits a job as the API would and waits for its end. */
  async run(
    name: OperationName,
    payload: Record<string, unknown>,
    { status = 'SUCCEEDED' }: { status?: 'SUCCEEDED' | 'FAILED' } = {},
  ): Promise<EndedJob> {
    const row = operationRows.find((candidate) => candidate.name === name);
    if (row === undefined) throw new Error(`no operation ${name}`);
    const full = row.payload.parse(payload) as Record<string, unknown>;
    const request = { operation: name, queueName: row.queue, payload: full };
    const job = await submitJob({ db: this.#db, broker: this.broker }, request);
    return untilStatus(this.#db, job.id, status);
  }

  /** Kills all processes as a power loss would. */
  async kill(): Promise<void> {
    for (const each of this.#processes.splice(0)) {
      if (each.exitCode !== null || each.signalCode !== null) continue;
      each.kill('SIGKILL');
      await once(each, 'exit');
    }
  }

  async stop(): Promise<void> {
    for (const each of this.#processes) each.kill('SIGTERM');
    for (const each of this.#processes) if (each.exitCode === null) await once(each, 'exit');
    await this.broker.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Adds the smallest configuration of the offline backend. */
export const insertKmerConfig = (db: Database, dimension = 512) =>
  insertConfig(db, { model_name: `kmer-${dimension}`, model_backend: 'kmer', max_length: 40_000, dimension });

/** The sequence network of the product. */
export const insertNetworkConfig = (db: Database) =>
  insertConfig(db, { model_name: 'kindred-1', model_backend: 'kindred', max_length: 1022, dimension: 512 });

const insertConfig = (
  db: Database,
  {
    dimension,
    ...model
  }: { model_name: string; model_backend: string; max_length: number; dimension: number },
) => insertEmbeddingConfig(db, { ...completeRecipe(model), dimension });
