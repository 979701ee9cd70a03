import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ZipFile } from 'yazl';
import type { ArtifactStore } from '../../../ground/artifacts/artifact-store.js';
import type { EvaluationResultRow } from '../../../store/evaluation/evaluation-results.repository.js';
import { markedFile } from '../../marked-file.js';
import { absent } from '../../problems.js';

/**
 * Sends all files of a result as one zip, packed while it is sent: a file is opened when its turn comes, and
 * read when the client takes it.
 * @throws ProblemError not_found if the store has lost the first of them
 */
export async function sendArchive(
  reply: FastifyReply,
  { id, artifacts, created_at, reference }: EvaluationResultRow,
  store: ArtifactStore,
): Promise<FastifyReply> {
  if (artifacts.length === 0 || (await store.size(artifacts[0].uri)) === null)
    throw absent('files of evaluation result', id);
  const filename = markedFile(reply, { name: `artifacts_${id}`, extension: 'zip' }, [reference]);
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let open: Readable | null = null;
  zip.on('error', (error) => output.destroy(error));
  // A client that leaves ends the file that is being read.
  output.on('close', () => open?.destroy());
  for (const { name, uri } of artifacts) {
    const options = { mtime: new Date(created_at), compressionLevel: 5 };
    zip.addReadStreamLazy(name, options, (ready) => {
      open = Readable.from(store.get(uri), { objectMode: false });
      ready(null, open);
    });
  }
  zip.end();
  return reply
    .type('application/zip')
    .header('content-disposition', `attachment; filename="${filename}"`)
    .send(output);
}
