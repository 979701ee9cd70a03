import { ProblemError } from '@kindred/contracts';
import type { BadRecords } from '@kindred/contracts/left-out';
import { annotateFields, annotateJson } from '@kindred/contracts/resources/annotate';
import type { FastifyRequest } from 'fastify';
import { readHits } from '../../uploads/hits.js';
import { maxUploadTokens, type UploadedSequences } from '../../uploads/body.js';
import { parseJson } from '../../uploads/json-text.js';
import type { RouteDeps } from '../../deps.js';
import type { QueryHits } from '../../../store/proteins/query-hits.repository.js';
import { partFault } from '../../form-parts.js';
import { fieldProblem, validationProblem } from '../../problems.js';
import { nameOfFile, readForm, readJsonUpload, readUpload } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';

export interface Input extends UploadedSequences {
  /** The run has the name that the caller gave, or else that of the file; null if both are missing. */
  name: string | null;
  runnerParameters: Record<string, unknown> | undefined;
  /** Hits of the sequences by another program; null if the caller sent none. */
  hits: QueryHits | null;
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
  const names = ['fasta_text', 'name', 'runner_parameters', 'hits_program'];
  const form = await readForm(request, deps.settings, names, { takesHits: true });
  const { text, file, hits } = form;
  const { runner_parameters: parameters, ...rest } = form.fields;
  const {
    name,
    runner_parameters: runnerParameters,
    hits_program: program,
  } = parseOrRefuse(
    annotateFields,
    parameters === undefined ? rest : { ...rest, runner_parameters: valueOf(parameters) },
  );
  if (program !== undefined && hits === null)
    throw fieldProblem('/hits_program', 'send the file hits with it, or leave it out');
  const upload =
    file === null
      ? text === null
        ? null
        : await readUpload(deps, text, { part: 'fasta_text', badRecords })
      : text === null
        ? await readUpload(deps, file.bytes, { part: 'file', badRecords })
        : null;
  if (upload === null) throw fieldProblem('/file', 'give either file or fasta_text', 'required');
  return {
    name: name ?? (file === null ? null : nameOfFile(file)),
    runnerParameters,
    ...upload,
    hits:
      hits === null
        ? null
        : await readHits(
            { name: nameOfFile(hits) ?? 'the file of hits', bytes: hits.bytes, program },
            upload.records,
            deps.settings.maxUploadBytes,
          ),
  };
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
  return { name, runnerParameters, hits: null, ...(upload as UploadedSequences) };
}
