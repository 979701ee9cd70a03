import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { absent } from './problems.js';

/**
 * Sends an artifact as it is, with its length. The next block is read when the client has taken the last.
 * @throws ProblemError not_found if the store has no such object
 */
export async function sendFile(
  reply: FastifyReply,
  artifacts: ArtifactStore,
  uri: string,
  file: { contentType: string; filename: string },
): Promise<FastifyReply> {
  const size = await artifacts.size(uri);
  if (size === null) throw absent('file', uri);
  return reply
    .type(file.contentType)
    .header('content-length', size)
    .header('content-disposition', `attachment; filename="${file.filename}"`)
    .send(Readable.from(artifacts.get(uri), { objectMode: false }));
}
