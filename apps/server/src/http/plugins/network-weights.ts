import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, HttpSettings } from '../deps.js';

/** The weights with which the page annotates in the browser alone. */
export interface NetworkWeights {
  /** The path of the service below which browsers may keep them for good, because it has their hash. */
  path: string;
  file: string;
  sizeBytes: number;
}

/** Finds the weights; null where the service has no page, the setting is off, or the files are missing. */
export function networkWeights({ webRoot, inBrowser, networkFolder }: HttpSettings): NetworkWeights | null {
  const file = join(networkFolder, 'weights.bin');
  const provenance = join(networkFolder, 'provenance.json');
  if (webRoot === null || !inBrowser || !existsSync(file) || !existsSync(provenance)) return null;
  const { sha256 } = JSON.parse(readFileSync(provenance, 'utf8')) as { sha256: Record<string, string> };
  return {
    path: `/assets/network-${sha256['weights.bin'].slice(0, 16)}.bin`,
    file,
    sizeBytes: statSync(file).size,
  };
}

export function serveNetworkWeights(api: Api, settings: HttpSettings): void {
  const weights = networkWeights(settings);
  if (weights === null) return;
  api.get(weights.path, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-length': weights.sizeBytes,
      })
      .type('application/octet-stream')
      .send(createReadStream(weights.file)),
  );
}

/**
 * The policy of the worker that computes in the browser: it may compile WebAssembly, which no page may, and can ask for nothing, so what
 * it is given cannot leave.
 */
export const networkWorkerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'";
export const isNetworkWorker = (path: string): boolean =>
  /[/\\]network-worker-[\w-]+\.js(\.gz|\.br)?$/.test(path);
