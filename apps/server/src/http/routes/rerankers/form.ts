import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import type { HttpSettings } from '../../deps.js';
import { validationProblem } from '../../problems.js';
import { fieldText, fileTextFault } from '../../upload.js';

/** The three files under both of their names. */
const fileOf: Record<string, 'model' | 'spec' | 'run'> = {
  'model.txt': 'model',
  model_file: 'model',
  'spec.yaml': 'spec',
  spec_yaml: 'spec',
  'run.json': 'run',
  run_json: 'run',
};
const fieldNames = ['name', 'dataset_id', 'external_source', 'force'];

export interface RerankerForm {
  files: Record<'model' | 'spec' | 'run', Uint8Array>;
  fields: Record<string, string>;
}

/**
 * Reads the form of an import: three files, each as a file part or as a text field, and a few words beside them.
 * @throws ProblemError unsupported_media_type, payload_too_large, malformed_request, validation_failed (a part that is missing,
 * unknown, or given twice)
 */
export async function readRerankerForm(
  request: FastifyRequest,
  { maxUploadBytes }: HttpSettings,
): Promise<RerankerForm> {
  if (!request.isMultipart()) {
    throw new ProblemError(
      'unsupported_media_type',
      'Send multipart/form-data with the parts model.txt, spec.yaml and run.json.',
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > maxUploadBytes + 65_536)
    throw tooLarge(maxUploadBytes);
  const files: Partial<RerankerForm['files']> = {};
  const fields: RerankerForm['fields'] = {};
  try {
    const limits = { files: 6, fields: 10, fileSize: maxUploadBytes, fieldSize: maxUploadBytes };
    for await (const part of request.parts({ limits })) {
      const { fieldname } = part;
      const file = Object.hasOwn(fileOf, fieldname) ? fileOf[fieldname] : undefined;
      if (file === undefined && !fieldNames.includes(fieldname)) {
        if (part.type === 'file') await part.toBuffer();
        throw fault(
          fieldname,
          `unknown part; expected model.txt, spec.yaml, run.json, ${fieldNames.join(', ')}`,
        );
      }
      if (file === undefined ? fieldname in fields : files[file] !== undefined)
        throw fault(fieldname, 'given twice');
      if (part.type === 'field' && part.valueTruncated) throw tooLarge(maxUploadBytes);
      const bytes =
        part.type === 'file' ? await part.toBuffer() : Buffer.from(fieldText(fieldname, String(part.value)));
      const reason = file === 'spec' || file === 'run' ? fileTextFault(bytes) : null;
      if (reason !== null) throw fault(fieldname, reason);
      if (file !== undefined) files[file] = bytes;
      else fields[fieldname] = bytes.toString();
    }
  } catch (error) {
    // The parser's own complaints about a form that is cut off have no code.
    if (error instanceof ProblemError || (error as { code?: unknown }).code !== undefined) throw error;
    throw new ProblemError('malformed_request', `The form could not be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const { model, spec, run } = files;
  if (model === undefined) throw fault('model.txt', 'the part is missing');
  if (spec === undefined) throw fault('spec.yaml', 'the part is missing');
  if (run === undefined) throw fault('run.json', 'the part is missing');
  return { files: { model, spec, run }, fields };
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The upload is larger than ${maxBytes} bytes. Register the booster by reference, or raise SVC_MAX_UPLOAD_BYTES.`,
  );
}

function fault(part: string, message: string): ProblemError {
  return validationProblem([{ path: `/${part}`, message, code: 'bad_part' }]);
}
