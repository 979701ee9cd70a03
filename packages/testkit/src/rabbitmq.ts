import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { patienceMs } from './patience.js';

const run = promisify(execFile);

/** A separate RabbitMQ, with its own node name, ports and folders. */
export interface PrivateNode {
  /** The address of the server, amqp://guest:guest@127.0.0.1:<port>. */
  url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Kills the server and starts it again with the same folders. */
  crash(): Promise<void>;
  /** Waits until the server has stored its list of queues on disk, which is later than its confirmation. */
  syncQueues(): Promise<void>;
  /** Raises or clears the memory alarm; while it is raised, the server blocks its publishers. */
  alarm(raised: boolean): Promise<void>;
  /** Sets the number of failed deliveries after which quorum queues give a message up. */
  limitDeliveries(limit: number): Promise<void>;
}

export interface PrivateRabbitMq extends PrivateNode {
  /** Stops the server and removes its folders. */
  remove(): Promise<void>;
}

/** The server script of Debian's package. */
const serverScript = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const controlScript = '/usr/lib/rabbitmq/bin/rabbitmqctl';

/**
 * Says whether this run has a RabbitMQ, which SVC_TEST_AMQP requests; `local` starts the server of the package rabbitmq-server. In CI a
 * missing variable is an error, so that the suite is never skipped unnoticed there.
 */
export function rabbitMqWanted(): boolean {
  const wish = process.env.SVC_TEST_AMQP;
  if (wish === 'local') {
    if (!existsSync(serverScript))
      throw new Error(`SVC_TEST_AMQP=local, but ${serverScript} is missing: apt-get install rabbitmq-server`);
    return true;
  }
  if (wish) throw new Error(`SVC_TEST_AMQP is ${JSON.stringify(wish)}; expected "local" or nothing`);
  if (process.env.CI)
    throw new Error('SVC_TEST_AMQP is not set: in CI the RabbitMQ suites must run (SVC_TEST_AMQP=local)');
  return false;
}

export async function startPrivateRabbitMq(): Promise<PrivateRabbitMq> {
  const place = await makePlace();
  const node = await makeNode(place);
  await node.server.start();
  return { ...node.control, remove: () => remove(place, [node]) };
}

/** Servers of one cluster, each of which may be killed alone. */
export interface RabbitCluster {
  /** The address (amqp://) that names all servers. */
  url: string;
  nodes: PrivateNode[];
  remove(): Promise<void>;
}

export async function startRabbitCluster(size: number): Promise<RabbitCluster> {
  const place = await makePlace();
  const ports = await freePorts(2 * size);
  const names = Array.from({ length: size }, (_, i) => `kindred${ports[i]}@localhost`);
  const nodes: Node[] = [];
  for (let i = 0; i < size; i++)
    nodes.push(await makeNode(place, { port: ports[i], distributionPort: ports[size + i], names }));
  // The first server must run already, because the others look for it.
  for (const { server } of nodes) await server.start();
  const hosts = ports.slice(0, size).map((port) => `127.0.0.1:${port}`);
  return {
    url: `amqp://guest:guest@${hosts.join(',')}`,
    nodes: nodes.map(({ control }) => control),
    remove: () => remove(place, nodes),
  };
}

/** The facts that the servers of one cluster share: the secret in the home folder, and the daemon that knows their ports. */
interface Place {
  folder: string;
  epmdPort: number;
}

async function makePlace(): Promise<Place> {
  const [epmdPort] = await freePorts(1);
  return { folder: await mkdtemp(join(tmpdir(), 'kindred-rabbit-')), epmdPort };
}

interface Node {
  server: Server;
  env: NodeJS.ProcessEnv;
  control: PrivateNode;
}

async function makeNode(
  { folder: home, epmdPort }: Place,
  given?: { port: number; distributionPort: number; names: readonly string[] },
): Promise<Node> {
  const [port, distributionPort] = given ? [given.port, given.distributionPort] : await freePorts(2);
  const folder = join(home, String(port));
  await mkdir(join(folder, 'logs'), { recursive: true });
  await writeFile(join(folder, 'enabled_plugins'), '[].\n');
  const cluster = (given?.names ?? []).map(
    (name, i) => `cluster_formation.classic_config.nodes.${i + 1} = ${name}\n`,
  );
  await writeFile(
    join(folder, 'rabbitmq.conf'),
    `listeners.tcp.local = 127.0.0.1:${port}\nloopback_users.guest = true\nlog.console = false\ndisk_free_limit.absolute = 10MB\n${
      cluster.length === 0
        ? ''
        : `cluster_formation.peer_discovery_backend = classic_config\n${cluster.join('')}`
    }`,
  );
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: `kindred${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distributionPort),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'logs'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
  const server = new Server(env, port, folder);
  return {
    server,
    env,
    control: {
      url: `amqp://guest:guest@127.0.0.1:${port}`,
      start: () => server.start(),
      stop: () => server.end('SIGTERM'),
      kill: () => server.end('SIGKILL'),
      crash: async () => {
        await server.end('SIGKILL');
        await server.start();
      },
      syncQueues: async () => {
        await run(controlScript, ['eval', 'mnesia:sync_log().'], { env });
      },
      alarm: async (raised) => {
        await run(controlScript, ['set_vm_memory_high_watermark', raised ? '0.00001' : '0.8'], { env });
      },
      limitDeliveries: async (limit) => {
        const definition = JSON.stringify({ 'delivery-limit': limit });
        await run(controlScript, ['set_policy', '--apply-to', 'queues', 'limit', '.*', definition], { env });
      },
    },
  };
}

async function remove({ folder, epmdPort }: Place, nodes: readonly Node[]): Promise<void> {
  // A server of a cluster is killed, because at its end it would wait for others that are gone.
  await Promise.all(nodes.map(({ server }) => server.end(nodes.length > 1 ? 'SIGKILL' : 'SIGTERM')));
  await run('epmd', ['-port', String(epmdPort), '-kill'], { env: nodes[0].env }).catch(() => {});
  await rm(folder, { recursive: true, force: true });
}

class Server {
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: number;
  readonly #folder: string;
  #child: ReturnType<typeof spawn> | null = null;

  constructor(env: NodeJS.ProcessEnv, port: number, folder: string) {
    this.#env = env;
    this.#port = port;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    // The server has a process group of its own: the script starts the Erlang machine, and both must end together.
    const child = spawn(serverScript, [], {
      env: this.#env,
      cwd: this.#folder,
      detached: true,
      stdio: 'ignore',
    });
    this.#child = child;
    const deadline = Date.now() + patienceMs;
    while (!(await answers(this.#port))) {
      if (child.exitCode !== null || Date.now() > deadline) {
        const { exitCode } = child;
        await this.end('SIGKILL');
        throw new Error(`rabbitmq-server did not start (${exitCode}): ${await this.#log()}`);
      }
      await sleep(100);
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, signal);
    await exited;
    while (await answers(this.#port)) await sleep(50);
    this.#child = null;
  }

  async #log(): Promise<string> {
    const name = `${this.#env.RABBITMQ_NODENAME}.log`;
    return (await readFile(join(this.#folder, 'logs', name), 'utf8').catch(() => 'no log')).slice(-2000);
  }
}

/** Says whether an AMQP server answers on the port, which it does only when it is ready. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('AMQP\0\0\u0009\u0001'));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.once('data', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(
    servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
