import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PrivateRabbitMq, startPrivateRabbitMq } from '@kindred/testkit';
import { createS3Artifacts } from '../../ground/artifacts/s3.js';
import { type FaultyS3, startS3 } from '../artifacts/s3-server.js';
import { ReplicatedPostgres, replicationPrograms } from '../replicated-postgres.js';
import { type SilentProxy, silentProxy } from '../silent-proxy.js';
import type { Fault } from './faults.js';

const longestOutageMs = 3000;
/** A request or an answer is cut after at most this many bytes. */
const longestPartBytes = 20_000;

/**
 * The run has its own PostgreSQL, RabbitMQ and S3: they can be killed, and the connections of the service go
 * through proxies.
 */
export class Servers {
  readonly #proxies: SilentProxy[] = [];

  private constructor(
    /** The database server has this folder, which its user must reach. */
    readonly folder: string,
    readonly postgres: ReplicatedPostgres,
    readonly rabbit: PrivateRabbitMq,
    readonly s3: FaultyS3,
  ) {}

  static async start(): Promise<Servers> {
    if (replicationPrograms === undefined)
      throw new Error('--servers needs the packages postgresql and rabbitmq-server');
    const folder = await mkdtemp(join(tmpdir(), 'kindred-chaos-servers-'));
    return new Servers(
      folder,
      await ReplicatedPostgres.primary(folder, 'server'),
      await startPrivateRabbitMq(),
      await startS3(),
    );
  }

  get bucket() {
    const { endpoint, bucket } = this.s3;
    return {
      store: createS3Artifacts({ bucket, prefix: '', endpoint, region: null }),
      env: {
        SVC_ARTIFACT_BACKEND: 's3',
        SVC_ARTIFACT_BUCKET: bucket,
        SVC_ARTIFACT_ENDPOINT: endpoint,
      },
    };
  }

  /** Makes proxies to the database and to the broker of a run that is disturbed. */
  async proxiedWays(): Promise<{ database: (name: string) => Promise<string>; amqp: string }> {
    return {
      database: (name) => this.#proxied(this.postgres.address(name)),
      amqp: await this.#proxied(this.rabbit.url),
    };
  }

  async #proxied(address: string): Promise<string> {
    const proxy = await silentProxy(address);
    this.#proxies.push(proxy);
    return proxy.url;
  }

  faults(): Record<string, Fault> {
    const eachProxy = (what: string, act: (proxy: SilentProxy) => void): Record<string, Fault> => ({
      [what]: async ({ random }) => act(this.#proxies[random.integer(this.#proxies.length)]),
    });
    return {
      'database server killed': async ({ random }) => {
        await this.postgres.kill();
        await sleep(random.integer(longestOutageMs));
        await this.postgres.start();
      },
      'RabbitMQ killed': () => this.rabbit.crash(),
      ...eachProxy('connections to a server cut', (proxy) => proxy.cut()),
      ...eachProxy('connections to a server silent', (proxy) => proxy.silence()),
      'request to the bucket refused': async () => this.s3.next({ kind: 'status', status: 503 }),
      'request to the bucket cut': async ({ random }) =>
        this.s3.next({ kind: 'cut-request', afterBytes: random.integer(longestPartBytes) }),
      'answer of the bucket lost': async () => this.s3.next({ kind: 'lost-answer' }),
      'answer of the bucket cut': async ({ random }) =>
        this.s3.next({ kind: 'cut-response', afterBytes: random.integer(longestPartBytes) }),
    };
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) await proxy.close();
    await this.postgres.stop();
    await this.rabbit.remove();
    await this.s3.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
