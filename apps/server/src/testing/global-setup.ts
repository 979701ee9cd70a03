import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testDatabaseService } from './test-database.js';
import { startTestServer, type TestServer } from './test-server.js';

/**
 * vitest's global setup. Test files run in separate processes and ask this one for databases (`testDatabase()` of
 * testkit). The server starts with the first request, so that runs without a database cost nothing.
 */
let databases: Promise<TestServer> | null = null;
let service: Server | null = null;

export async function setup(): Promise<void> {
  service = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => service?.listen(0, '127.0.0.1', done));
  const { port } = service.address() as AddressInfo;
  process.env[testDatabaseService] = `http://127.0.0.1:${port}`;
}

export async function teardown(): Promise<void> {
  service?.closeAllConnections();
  service?.close();
  const server = await databases?.catch(() => null);
  await server?.close();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    databases ??= startTestServer(process.env.SVC_TEST_DB_URL);
    const server = await databases;
    if (request.method === 'POST') response.end(JSON.stringify(await server.create()));
    else await server.drop(String(request.url).split('/').pop() ?? '').then(() => response.end());
  } catch (error) {
    response.statusCode = 500;
    response.end(String((error as Error).stack ?? error));
  }
}
