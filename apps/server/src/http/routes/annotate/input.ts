import { ProblemError } from '@kindred/contracts';
import type { BadRecords } from '@kindred/contracts/left-out';
import { annotateFields, annotateJson } from '@kindred/contracts/resources/annotate';
import type { FastifyRequest } from 'fastify';
import { maxUploadTokens, type UploadedSequences } from '../../uploads/body.js';
import { parseJson } from '../../uploads/json-text.js';
import type { RouteDeps } from '../../deps.js';
import { partFault } from '../../form-parts.js';
import { fieldProblem, validationProblem } from '../../problems.js';
import { nameOfFile, readForm, readJsonUpload, readUpload } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';

export interface Input extends UploadedSequences {
  /** The run has the name that the caller gave, or else that of the file; null if both are missing. */
  name: string | null;
  runnerParameters: Record<string, unknown> | undefined;
}

/** Reads sequences as JSON, as a field of a form or as its file, and the other fields. */
export async function readInput(
  request: FastifyRequest<{ Querystring: { bad_records?: BadRecords } }>,
  deps: RouteDeps,
): Promise<Input> {
  const badRecords = request.query.bad_records ?? 'refuse';
  return request.isMultipart()
    ? readInputForm(request, deps, badRecords)
    : readJson(request.body, deps, badRecords);
}

async function readInputForm(
  request: FastifyRequest,
  deps: RouteDeps,
  badRecords: BadRecords,
): Promise<Input> {
  const names = ['fasta_text', 'name', 'runner_parameters'];
  const { fields, text, file } = await readForm(request, deps.settings, names);
  const { runner_parameters: parameters, ...rest } = fields;
  const { name, runner_parameters: runnerParameters } = parseOrRefuse(
    annotateFields,
    parameters === undefined ? rest : { ...rest, runner_parameters: valueOf(parameters) },
  );
  const fileName = file === null ? null : nameOfFile(file);
  const common = { name: name ?? fileName, runnerParameters };
  if (file !== null && text === null)
    return { ...common, ...(await readUpload(deps, file.bytes, { part: 'file', badRecords })) };
  if (text !== null && file === null)
    return { ...common, ...(await readUpload(deps, text, { part: 'fasta_text', badRecords })) };
  throw fieldProblem('/file', 'give either file or fasta_text', 'required');
}

/** The text is read like a JSON body, so a value that a JSON body may not contain is refused here, too. */
function valueOf(parameters: string): unknown {
  const part = 'runner_parameters';
  try {
    const value = parseJson(Buffer.from(parameters), maxUploadTokens);
    if (value !== undefined) return value;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code === 'payload_too_large') throw error;
    if (error.errors !== undefined)
      throw validationProblem(error.errors.map((fault) => ({ ...fault, path: `/${part}${fault.path}` })));
  }
  throw partFault(part, 'is not JSON');
}

async function readJson(bytes: unknown, deps: RouteDeps, badRecords: BadRecords): Promise<Input> {
  if (!Buffer.isBuffer(bytes)) {
    throw new ProblemError(
      'unsupported_media_type',
      'Send multipart/form-data, or application/json with fasta_text.',
    );
  }
  const { body, upload } = await readJsonUpload(deps, bytes, badRecords);
  const { name = null, runner_parameters: runnerParameters } = parseOrRefuse(annotateJson, body);
  return { name, runnerParameters, ...(upload as UploadedSequences) };
}
