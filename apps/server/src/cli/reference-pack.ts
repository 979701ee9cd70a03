import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ProblemError } from '@kindred/contracts';
import { checkPack } from '../load/packs/pack-reader.js';
import { signedPack } from '../load/packs/sign-pack.js';
import { anySigner, newKeyPair } from '../load/packs/signing.js';
import { formOfFile, type ServiceAccess, serviceClient } from './api-client.js';
import { openProgress, type Progress } from './progress.js';
import { type Reference, referenceName } from './reference-text.js';

export interface PackOptions {
  output?: string;
  sign?: string;
  quiet?: boolean;
}
export interface InstallOptions {
  name?: string;
  version?: string;
  use?: boolean;
  quiet?: boolean;
}

/** Lets the service pack a reference and fetches the file, which appears whole and checked, or not at all. */
export async function packReference(
  service: ServiceAccess,
  reference: string,
  options: PackOptions,
): Promise<{ path: string; sizeBytes: number }> {
  const client = serviceClient(service);
  const key = options.sign === undefined ? null : await privateKeyIn(options.sign);
  const found = await client.get('/references/:reference', { params: { reference } });
  const exact = { params: { reference: referenceName(found) } };
  const path = resolve(options.output ?? `${found.name}-${found.version}.kindred`);
  const draft = `${path}.${process.pid}.part`;
  const progress = openProgress(options.quiet === true);
  try {
    const { id } = await client.post('/references/:reference/pack', exact);
    await client.finish(id, {
      onUpdate: (job) => progress.show('packing', job.progress_current, job.progress_total ?? 1),
    });
    const { size_bytes } = await client.get('/references/:reference/pack', exact);
    const { body } = await client.download('/references/:reference/pack/file', exact);
    if (body === null) throw new ProblemError('bad_file', 'The service sent no file.');
    const pack = counted(body as unknown as AsyncIterable<Uint8Array>, (done) =>
      progress.show('fetching', done, size_bytes),
    );
    await pipeline(key === null ? pack : signedPack(pack, key), createWriteStream(draft, { mode: 0o644 }));
    await checkPack(createReadStream(draft, { highWaterMark: 1 << 20 }), anySigner);
    await rename(draft, path);
    return { path, sizeBytes: (await stat(path)).size };
  } finally {
    progress.stop();
    await rm(draft, { force: true });
  }
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of bytes) {
    done += chunk.length;
    onBytes(done);
    yield chunk;
  }
}

async function privateKeyIn(path: string): Promise<KeyObject> {
  const pem = await readFile(path).catch((error: Error) => {
    throw new ProblemError('bad_file', `The key ${path} cannot be read: ${error.message}.`);
  });
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below says which key is needed.
  }
  throw new ProblemError(
    'bad_file',
    `${path} is not an ed25519 private key in PEM; make one with "kindred reference key FILE".`,
  );
}

/** Sends a pack, or names its address, waits until it is installed, and gives the reference. */
export async function installPack(
  service: ServiceAccess,
  source: string,
  { name, version, use, quiet }: InstallOptions,
): Promise<{ reference: Reference; skipped: boolean }> {
  const client = serviceClient(service);
  const progress = openProgress(quiet === true);
  try {
    const url = /^https?:\/\//i.test(source) ? source : await sentFile(service, source, progress);
    const choices = {
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { version }),
      ...(use === true ? { make_default: true } : {}),
    };
    const { id } = await client.post('/references/install', { body: { url, ...choices } });
    const { result } = await client.finish(id, {
      onUpdate: (job) => progress.show('installing', job.progress_current, job.progress_total ?? 1),
    });
    const installed = String(result?.reference);
    const params = { reference: installed };
    const row = await client.get('/references/:reference', { params });
    const reference =
      use === true && !row.is_default ? await client.post('/references/:reference/use', { params }) : row;
    return { reference, skipped: result?.skipped === true };
  } finally {
    progress.stop();
  }
}

/**
 * Sends a file of this machine and gives its address. The file is checked meanwhile. A fault in it, or a
 * service that already has the reference, ends the sending.
 */
async function sentFile(service: ServiceAccess, path: string, progress: Progress): Promise<string> {
  const client = serviceClient(service);
  const facts = await stat(path).catch(() => null);
  if (facts?.isFile() !== true) throw new ProblemError('bad_file', `${path} is not a file that can be read.`);
  const sending = new AbortController();
  const sent = client.post('/references/files', { form: formOfFile(path), signal: sending.signal });
  // A failure to send matters only if the pack proves to be good.
  sent.catch(() => {});
  try {
    const digest = await digestOfGoodPack(path, (done) =>
      progress.show(`checking and sending ${basename(path)}`, done, facts.size),
    );
    const known = await client.get('/references/files/:digest', { params: { digest } }).catch(() => null);
    return (known ?? (await sent)).url;
  } finally {
    sending.abort();
  }
}

/** @throws ProblemError bad_file */
async function digestOfGoodPack(path: string, onBytes: (done: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      onBytes((done += chunk.length));
      yield chunk;
    }
  }
  await checkPack(bytes(), anySigner);
  return hash.digest('hex');
}

/**
 * Writes a new private key for signing packs, which only its owner can read, and gives the public key.
 * @throws ProblemError already_exists
 */
export async function writeSigningKey(path: string): Promise<string> {
  const { privatePem, publicKey } = newKeyPair();
  await writeFile(path, privatePem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new ProblemError('already_exists', `${path} exists; a key is not replaced. Give another name.`);
    throw error;
  });
  return publicKey;
}
