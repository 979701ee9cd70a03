import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * The proxy between a program and a server forwards bytes, and can swallow them like a firewall that forgets
 * a flow.
 */
export interface SilentProxy {
  /** The address is that of the server, with host and port of the proxy. */
  url: string;
  /** Stops all data on the open connections, which stay open. New ones work. */
  silence(): void;
  /** Ends the connections that are open. */
  cut(): void;
  /** Sends new connections to another server, which must have the same user and database. */
  moveTo(target: string): void;
  close(): Promise<void>;
}

function placeOf({ hostname, port }: URL): { path: string } | { host: string; port: number } {
  const host = decodeURIComponent(hostname);
  return host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port || 5432}` }
    : { host, port: Number(port || 5432) };
}

/**
 * Starts a proxy for the address of a server: scheme://user:password@host:port/name, or that of a database
 * with the folder of its socket as its host.
 */
export async function silentProxy(target: string): Promise<SilentProxy> {
  const url = new URL(target);
  let server = placeOf(url);
  const open = new Set<{ silent: boolean; sockets: Socket[] }>();
  const listener = createServer((client) => {
    const upstream = connect(server);
    const flow = { silent: false, sockets: [client, upstream] };
    open.add(flow);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (!flow.silent) to.write(bytes);
      });
      from.on('error', () => {});
    };
    pass(client, upstream);
    pass(upstream, client);
    // Keepalives of the server's machine would show the end, too.
    client.on('close', () => {
      upstream.destroy();
      open.delete(flow);
    });
    upstream.on('close', () => {
      if (!flow.silent) client.destroy();
    });
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    url: url.href,
    silence: () => {
      for (const flow of open) flow.silent = true;
    },
    cut: () => {
      for (const { sockets } of open) for (const socket of sockets) socket.destroy();
    },
    moveTo: (next) => {
      server = placeOf(new URL(next));
    },
    close: async () => {
      // The listener closes first, so that nobody connects again in between.
      const closed = new Promise((done) => listener.close(done));
      for (const { sockets } of open) for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
