import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testDatabaseService } from './test-database.js';
import { type ExampleServer, startExampleServer, startTestServer, type TestServer } from './test-server.js';

/**
 * Vitest runs this file as its global setup. Test files run in separate processes and ask this one for
 * databases (`testDatabase()` and `exampleDatabase()` of testkit). A server starts with the first request for
 * its databases, so that runs without a database cost nothing.
 */
const starters = { empty: startTestServer, examples: startExampleServer };
type World = keyof typeof starters;
const servers = new Map<World, Promise<TestServer | ExampleServer>>();
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
  for (const started of servers.values()) await (await started.catch(() => null))?.close();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const [, world, name = ''] = String(request.url).split('/') as [string, World, string?];
    const server = await serverOf(world);
    if (request.method === 'DELETE') await server.drop(name).then(() => response.end());
    else {
      const dataFolder = 'dataFolder' in server ? server.dataFolder : undefined;
      response.end(JSON.stringify({ ...(await server.create()), dataFolder }));
    }
  } catch (error) {
    response.statusCode = 500;
    response.end(String((error as Error).stack ?? error));
  }
}

function serverOf(world: World): Promise<TestServer | ExampleServer> {
  const started = servers.get(world) ?? starters[world](process.env.SVC_TEST_DB_URL);
  servers.set(world, started);
  return started;
}
