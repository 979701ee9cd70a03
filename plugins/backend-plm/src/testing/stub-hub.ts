import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The failure of one request for a file; `null` is a correct response. */
export type Fault = 'cut' | 'error' | 'busy' | 'ignore-range' | 'wrong-range' | 'too-long' | null;

export interface StubHub {
  url: string;
  /** The requests in order of arrival: `GET <path>` or `GET <path> bytes=<n>-`. */
  requests: string[];
  /** The failures for requests by the end of the file name, used in order; afterwards requests succeed. */
  faults: Map<string, Fault[]>;
  /** The files that are sent with wrong bytes. */
  damaged: Set<string>;
  /** The tags on the repository's page, `license:...` among them. */
  tags: string[];
  close(): Promise<void>;
}

const sha = (kind: 'sha1' | 'sha256', ...parts: (string | Buffer)[]) => {
  const hash = createHash(kind);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Starts a hub with one repository, owner/name, with the files of a folder. Large files are listed in the hub's way. */
export async function startStubHub(folder: string, repository: string): Promise<StubHub> {
  const files = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
  const hub: Omit<StubHub, 'url' | 'close'> = {
    requests: [],
    faults: new Map(),
    damaged: new Set(),
    tags: ['license:mit'],
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    hub.requests.push(`GET ${path}${request.headers.range ? ` ${request.headers.range}` : ''}`);
    if (path === `/api/models/${repository}/tree/main`) return sendList(response, files);
    if (path === `/api/models/${repository}`) return sendJson(response, { id: repository, tags: hub.tags });
    const file = path.replace(`/${repository}/resolve/main/`, '');
    const content = files.get(file);
    if (content === undefined) return void response.writeHead(404).end();
    const fault = hub.faults.get(file)?.shift() ?? null;
    const bytes = hub.damaged.has(file) ? Buffer.from(content).fill(7, 0, 9) : content;
    sendFile(request, response, bytes, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...hub,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function sendList(response: ServerResponse, files: Map<string, Buffer>): void {
  const rows = [...files].map(([path, content]) => {
    const size = content.length;
    const oid = sha('sha1', `blob ${size}\0`, content);
    return path.endsWith('.safetensors')
      ? { type: 'file', path, size, oid, lfs: { oid: sha('sha256', content), size, pointerSize: 130 } }
      : { type: 'file', path, size, oid };
  });
  const others = [{ type: 'directory', path: 'onnx', oid: 'f'.repeat(40), size: 0 }];
  sendJson(response, [...others, ...rows]);
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendFile(request: IncomingMessage, response: ServerResponse, content: Buffer, fault: Fault): void {
  if (fault === 'error') return void response.writeHead(500).end();
  if (fault === 'busy') return void response.writeHead(429).end();
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const ranged = start > 0 && fault !== 'ignore-range';
  const body = ranged ? content.subarray(start) : content;
  const shown = fault === 'wrong-range' ? 0 : start;
  response.writeHead(ranged ? 206 : 200, {
    'content-length': body.length + (fault === 'too-long' ? 5 : 0),
    ...(ranged ? { 'content-range': `bytes ${shown}-${content.length - 1}/${content.length}` } : {}),
  });
  if (fault === 'cut') {
    response.write(body.subarray(0, Math.floor(body.length / 2)));
    // The connection is cut late, because bytes that the reader has not received would be lost with it.
    setTimeout(() => request.socket.end(), 300);
    return;
  }
  response.end(fault === 'too-long' ? Buffer.concat([body, Buffer.alloc(5)]) : body);
}
