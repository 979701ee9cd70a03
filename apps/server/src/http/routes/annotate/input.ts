import { ProblemError } from '@kindred/contracts';
import { annotateFields, annotateJson } from '@kindred/contracts/resources/annotate';
import type { FastifyRequest } from 'fastify';
import type { UploadedSequences } from '../../uploads/body.js';
import type { RouteDeps } from '../../deps.js';
import { fieldProblem } from '../../problems.js';
import { nameOfFile, readForm, readJsonUpload, readUpload } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';

export interface Input extends UploadedSequences {
  /** What the run is called. */
  name: string;
  runnerParameters: Record<string, unknown> | undefined;
}

const fallback = 'Quick annotation';

/** Sequences as JSON, as a field of a form or as its file, and what is sent beside them. */
export async function readInput(request: FastifyRequest, deps: RouteDeps): Promise<Input> {
  return request.isMultipart() ? readInputForm(request, deps) : readJson(request.body, deps);
}

async function readInputForm(request: FastifyRequest, deps: RouteDeps): Promise<Input> {
  const names = ['fasta_text', 'name', 'runner_parameters'];
  const { fields, text, file } = await readForm(request, deps.settings, names);
  const { name, runner_parameters: runnerParameters } = parseOrRefuse(annotateFields, fields);
  const fileName = file === null ? null : nameOfFile(file);
  const common = { name: name ?? fileName ?? fallback, runnerParameters };
  if (file !== null && text === null) return { ...common, ...(await readUpload(deps, file.bytes, 'file')) };
  if (text !== null && file === null) return { ...common, ...(await readUpload(deps, text, 'fasta_text')) };
  throw fieldProblem('/file', 'give either file or fasta_text', 'required');
}

async function readJson(bytes: unknown, deps: RouteDeps): Promise<Input> {
  if (!Buffer.isBuffer(bytes)) {
    throw new ProblemError(
      'unsupported_media_type',
      'Send multipart/form-data, or application/json with fasta_text.',
    );
  }
  const { body, upload } = await readJsonUpload(deps, bytes);
  const { name = fallback, runner_parameters: runnerParameters } = parseOrRefuse(annotateJson, body);
  return { name, runnerParameters, ...(upload as UploadedSequences) };
}
