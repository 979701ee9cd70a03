// Finds a port of this machine that nobody uses: by `freePort()`, or printed by node .ci/suites/free-port.mjs.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(await freePort());
