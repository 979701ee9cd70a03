import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './process-identity.js';

/**
 * A running service writes this file into its data folder, so that a second start and the command line find
 * it.
 */
export interface ServiceFile {
  url: string;
  pid: number;
}
/**
 * The command line has its own credential for the service of this data folder; only its owner can read it.
 */
export interface LocalCredential {
  apiKey: string;
}

export async function writeServiceFile(dataDir: string, service: ServiceFile): Promise<void> {
  await writeWhole(join(dataDir, 'service.json'), `${JSON.stringify(service)}\n`);
}
export async function readServiceFile(dataDir: string): Promise<ServiceFile | null> {
  return readJson(join(dataDir, 'service.json'));
}
/** Removes the file at once, even at the end of a process, which waits for nothing. */
export function removeServiceFile(dataDir: string): void {
  rmSync(join(dataDir, 'service.json'), { force: true });
}
export async function writeLocalCredential(dataDir: string, credential: LocalCredential): Promise<void> {
  await writeWhole(join(dataDir, 'local-credential.json'), `${JSON.stringify(credential)}\n`);
  await writeWhole(credentialHeaderFile(dataDir), `X-Api-Key: ${credential.apiKey}\n`);
}
/** Gives the path of the credential as a header line, for `curl -H @file`. */
export function credentialHeaderFile(dataDir: string): string {
  return join(dataDir, 'api-key.header');
}
export async function readLocalCredential(dataDir: string): Promise<LocalCredential | null> {
  return readJson(join(dataDir, 'local-credential.json'));
}

/**
 * Finds the service of this folder, if it runs and answers; null for a file left by a killed service, even if
 * another service now uses its port.
 */
export async function runningService(dataDir: string): Promise<ServiceFile | null> {
  const service = await readServiceFile(dataDir);
  if (service === null || !(await isAlive(service.pid))) return null;
  const answer = await fetch(new URL('/health', service.url), { signal: AbortSignal.timeout(3000) }).catch(
    () => null,
  );
  return answer?.ok ? service : null;
}

async function readJson<T>(path: string): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as T);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
