import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** One request gets the fault. Bytes count from the start of its body. */
export type Fault =
  | { kind: 'status'; status: number }
  | { kind: 'cut-request'; afterBytes: number }
  | { kind: 'cut-response'; afterBytes: number }
  /** The request is served, but its response is never sent. */
  | { kind: 'lost-answer' }
  | { kind: 'silence' }
  | { kind: 'silent-body'; afterBytes: number };

export interface FaultyS3 {
  /** The proxy in front of the server has this address. */
  endpoint: string;
  bucket: string;
  /** The next matching request gets the fault; several faults are used in order. */
  next(fault: Fault, fits?: (method: string, path: string) => boolean): void;
  /** Counts the faults that are not used yet. */
  unmet(): number;
  requests: string[];
  close(): Promise<void>;
}

/** Starts a real S3 server on a random port, behind a proxy that injects the given faults. */
export async function startS3(): Promise<FaultyS3> {
  // The standard chain finds these credentials; the test server accepts no others.
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  const directory = await mkdtemp(join(tmpdir(), 'kindred-s3-'));
  const bucket = 'kindred-test';
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const planned: { fault: Fault; fits: (method: string, path: string) => boolean }[] = [];
  const requests: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const [method, path] = [incoming.method ?? '', incoming.url ?? ''];
    requests.push(`${method} ${path}`);
    const index = planned.findIndex(({ fits }) => fits(method, path));
    const fault = index === -1 ? undefined : planned.splice(index, 1)[0].fault;
    forward(port, incoming, outgoing, fault);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    bucket,
    next: (fault, fits = () => true) => planned.push({ fault, fits }),
    unmet: () => planned.length,
    requests,
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function forward(port: number, incoming: IncomingMessage, outgoing: ServerResponse, fault?: Fault): void {
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'status') {
    incoming.resume();
    incoming.on('end', () =>
      outgoing
        .writeHead(fault.status, { 'content-type': 'application/xml' })
        .end('<?xml version="1.0"?><Error><Code>InternalError</Code><Message>We are sorry</Message></Error>'),
    );
    return;
  }
  const { method, url: path, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    if (fault?.kind === 'lost-answer') {
      answer.resume();
      answer.on('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fault?.kind === 'cut-response' || fault?.kind === 'silent-body')
      partOf(answer, outgoing, fault.afterBytes, () => {
        if (fault.kind === 'cut-response') incoming.socket.destroy();
      });
    else answer.pipe(outgoing);
  });
  onward.on('error', () => incoming.socket.destroy());
  // A client that gave up would leave the rest of the answer unread, and the server could not be closed.
  outgoing.once('close', () => onward.destroy());
  if (fault?.kind !== 'cut-request') {
    incoming.pipe(onward);
    return;
  }
  let seen = 0;
  incoming.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen < fault.afterBytes) onward.write(chunk);
    else {
      onward.destroy();
      incoming.socket.destroy();
    }
  });
}

function partOf(answer: IncomingMessage, outgoing: ServerResponse, bytes: number, then: () => void): void {
  let left = bytes;
  answer.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    outgoing.write(part, () => left <= 0 && then());
  });
}
