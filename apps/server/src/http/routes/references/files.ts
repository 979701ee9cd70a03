import { randomUUID } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { referenceRoutes } from '@kindred/contracts/resources/references';
import type { FastifyRequest } from 'fastify';
import { addFile } from '../../../resources/reference-files.js';
import { findReferenceFile } from '../../../store/references/reference-files.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { validationProblem } from '../../problems.js';

/** The command line sends sources here, so that no file has to be put into the import folder. */
export function serveReferenceFiles(api: Api, deps: RouteDeps): void {
  const { db, artifacts, settings } = deps;
  serve(
    api,
    referenceRoutes.upload,
    async (request, reply) => {
      const file = await filePart(request, settings.maxReferenceFileBytes);
      const stored = await artifacts.put(`reference-files/${randomUUID()}`, file);
      if (file.truncated) {
        await artifacts.delete(stored.uri);
        throw new ProblemError(
          'payload_too_large',
          `The file is larger than ${settings.maxReferenceFileBytes} bytes (SVC_MAX_REFERENCE_FILE_BYTES).`,
        );
      }
      const { sha256, sizeBytes, uri } = stored;
      await addFile({ db, artifacts }, { sha256, size_bytes: sizeBytes, uri });
      return reply.code(201).send(presentFile(sha256, sizeBytes));
    },
    { bodyLimit: settings.maxReferenceFileBytes + 65_536 },
  );
  serve(api, referenceRoutes.file, async (request) => {
    const { digest: sha256 } = request.params;
    const row = await findReferenceFile(db, sha256);
    if (row === undefined || (await artifacts.size(row.uri)) === null) throw absent('file', sha256);
    return presentFile(row.sha256, row.size_bytes);
  });
}

function presentFile(sha256: string, size_bytes: number) {
  return { sha256, size_bytes, url: `upload:${sha256}` };
}

/** Gives the part `file` as a stream; parts after it are not read. */
async function filePart(request: FastifyRequest, maxBytes: number) {
  if (!request.isMultipart())
    throw new ProblemError('unsupported_media_type', 'Send multipart/form-data with a part named file.');
  const part = await request.file({ limits: { fileSize: maxBytes, files: 1 } }).catch((cause: Error) => {
    // The parser's own complaints, such as a form without a boundary, have no code.
    if ((cause as { code?: unknown }).code !== undefined) throw cause;
    throw new ProblemError('malformed_request', `The form could not be read: ${cause.message}.`, { cause });
  });
  if (part?.fieldname === 'file') return part.file;
  throw validationProblem([{ path: '/file', message: 'expected a file in the part file', code: 'required' }]);
}
