import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import type { HttpSettings } from '../../deps.js';
import { fileTextFault } from '../../uploads/sequences.js';
import { type FormRules, partFault, readFormParts } from '../../form-parts.js';
import { fieldText } from '../../upload.js';

/** Each of the three files may have either of its two names. */
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
 * Reads the form of an import: three files, each as a file part or as a text field, and a few text fields.
 * @throws ProblemError unsupported_media_type, payload_too_large, malformed_request, validation_failed (a
 * part that is missing, unknown, or given twice)
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
  const judge: FormRules['judge'] = ({ name }, earlier) => {
    const file = fileNamed(name);
    if (file === undefined && !fieldNames.includes(name))
      return `unknown part; expected model.txt, spec.yaml, run.json, ${fieldNames.join(', ')}`;
    return [...earlier].some((other) => other === name || (file !== undefined && fileNamed(other) === file))
      ? 'given twice'
      : maxUploadBytes;
  };
  const files: Partial<RerankerForm['files']> = {};
  const fields: RerankerForm['fields'] = {};
  for (const { name, bytes } of await readFormParts(request, { maxBytes: maxUploadBytes, judge })) {
    const file = fileNamed(name);
    const reason = file === 'spec' || file === 'run' ? fileTextFault(bytes) : null;
    if (reason !== null) throw partFault(name, reason);
    if (file !== undefined) files[file] = bytes;
    else fields[name] = fieldText(name, bytes);
  }
  const { model, spec, run } = files;
  if (model === undefined) throw partFault('model.txt', 'the part is missing');
  if (spec === undefined) throw partFault('spec.yaml', 'the part is missing');
  if (run === undefined) throw partFault('run.json', 'the part is missing');
  return { files: { model, spec, run }, fields };
}

function fileNamed(part: string) {
  return Object.hasOwn(fileOf, part) ? fileOf[part] : undefined;
}
