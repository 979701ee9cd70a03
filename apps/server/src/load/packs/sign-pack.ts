import type { KeyObject } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { ByteReader } from './byte-reader.js';
import { manifestName, manifestSumName, maxManifestBytes, signatureName } from './format.js';
import { file } from './pack-writer.js';
import { signatureOf } from './signing.js';
import { blockBytes, padding, readHeader } from './tar-blocks.js';

/** Adds a signature after the manifest of a pack, and replaces an earlier one. */
export async function* signedPack(
  pack: AsyncIterable<Uint8Array>,
  privateKey: KeyObject,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteReader(pack);
  const manifest = await take(bytes, manifestName, maxManifestBytes);
  const sum = await take(bytes, manifestSumName, blockBytes);
  yield* manifest.blocks;
  yield* sum.blocks;
  yield* file(signatureName, signatureOf(manifest.content, privateKey));
  const block = await bytes.take(blockBytes);
  const next = block === null ? null : readHeader(block);
  if (block === null || next === null) throw notPack();
  if (next.name === signatureName) await bytes.take(next.sizeBytes + padding(next.sizeBytes).length);
  else yield block;
  yield* bytes.pass(Number.MAX_SAFE_INTEGER);
}

async function take(bytes: ByteReader, name: string, maxBytes: number) {
  const block = await bytes.take(blockBytes);
  const found = block === null ? null : readHeader(block);
  if (block === null || found?.name !== name || found.sizeBytes > maxBytes) throw notPack();
  const content = await bytes.take(found.sizeBytes);
  const filled = await bytes.take(padding(found.sizeBytes).length);
  if (content === null || filled === null) throw notPack();
  return { content, blocks: [block, content, filled] };
}

function notPack(): ProblemError {
  return new ProblemError('bad_file', 'The file is not a pack of a reference, or it ends early.');
}
