import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const probeMs = 100;

/**
 * Spreads requests in turn over the processes that say that they are ready, as a proxy in front of the
 * service does, and repeats none.
 */
export interface Balancer {
  url: string;
  /** Adds a process to ask; the result is true if it is ready. */
  add(url: string): void;
  remove(url: string): void;
  isReady(url: string): boolean;
  /**
   * Each fault is an answer below 200 or above 299, or a request without an answer, with its method and path.
   */
  readonly faults: string[];
  /** Each process has given this number of answers. */
  readonly answered: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<string, boolean>();
  const faults: string[] = [];
  const answered = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  const closing = new AbortController();
  let turn = 0;
  const probe = async () => {
    while (!closing.signal.aborted) {
      await Promise.all(
        [...backends.keys()].map(async (url) => {
          const response = await fetch(`${url}/health/ready`).catch(() => null);
          await response?.body?.cancel();
          if (backends.has(url)) backends.set(url, response?.ok === true);
        }),
      );
      await sleep(probeMs);
    }
  };
  const server = createServer((incoming, outgoing) => {
    const ready = [...backends].filter(([, isReady]) => isReady).map(([url]) => url);
    const what = `${incoming.method} ${incoming.url}`;
    const refuse = (why: string) => {
      faults.push(`${what}: ${why}`);
      outgoing.writeHead(502).end();
    };
    if (ready.length === 0) {
      refuse('no process is ready');
      return;
    }
    const backend = ready[turn++ % ready.length];
    const { method, headers } = incoming;
    const onward = request(backend + incoming.url, { agent, method, headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) faults.push(`${what}: ${status}`);
      answered.set(backend, (answered.get(backend) ?? 0) + 1);
      const { connection: _connection, 'keep-alive': _keepAlive, ...passed } = answer.headers;
      outgoing.writeHead(status, passed);
      answer.on('error', (error) => faults.push(`${what}: cut (${error.message})`));
      answer.pipe(outgoing);
    });
    onward.on('error', (error) => refuse(error.message));
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const probing = probe();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => backends.set(url, false),
    remove: (url) => backends.delete(url),
    isReady: (url) => backends.get(url) === true,
    faults,
    answered,
    async close() {
      closing.abort();
      await probing;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
