import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a random port of 127.0.0.1 imitates a remote source. */
export interface StubServer {
  url: string;
  /** SVC_FETCH_ALLOWED_HOSTS names the server as `127.0.0.1:port`. */
  host: string;
  /** Paths are kept with their queries, in order. */
  requests: string[];
  close(): Promise<void>;
}

export async function startStubServer(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<StubServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response, requests.length);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
