import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Between a program and a server: forwards bytes, and can swallow them as a firewall does that forgets a flow. */
export interface SilentProxy {
  /** The address of the server with host and port of the proxy. */
  url: string;
  /** From now on nothing passes on the connections that are open; they stay open. New ones work. */
  silence(): void;
  close(): Promise<void>;
}

/** For a database address: postgresql://user:password@host:port/name, or with the folder of a socket as its host. */
export async function silentProxy(target: string): Promise<SilentProxy> {
  const url = new URL(target);
  const host = decodeURIComponent(url.hostname);
  const port = Number(url.port || 5432);
  const open = new Set<{ silent: boolean; sockets: Socket[] }>();
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
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
    // Keepalives of the server's machine would show it, too.
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (!flow.silent) client.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    silence: () => {
      for (const flow of open) flow.silent = true;
    },
    close: async () => {
      // First, so that nobody connects again in between.
      const closed = new Promise((done) => server.close(done));
      for (const { sockets } of open) for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
