import { ProblemError } from '@kindred/contracts';
import { annotateFields, annotateJson } from '@kindred/contracts/resources/annotate';
import type { FastifyRequest } from 'fastify';
import type { RouteDeps } from '../../deps.js';
import { fieldProblem } from '../../problems.js';
import { nameOfFile, readForm } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';

export interface Input {
  name: string;
  bytes: Uint8Array;
  part: 'file' | 'fasta_text';
  runnerParameters: Record<string, unknown> | undefined;
}

/** FASTA as JSON, as a field of a form or as its file, and what the run is called. */
export async function readInput(request: FastifyRequest, { settings }: RouteDeps): Promise<Input> {
  const fallback = 'Quick annotation';
  if (!request.isMultipart()) {
    if (request.body === undefined && request.headers['content-type'] === undefined) {
      throw new ProblemError(
        'unsupported_media_type',
        'Send multipart/form-data, or application/json with fasta_text.',
      );
    }
    const {
      fasta_text,
      name = fallback,
      runner_parameters: runnerParameters,
    } = parseOrRefuse(annotateJson, request.body);
    return { name, bytes: Buffer.from(fasta_text), part: 'fasta_text', runnerParameters };
  }
  const form = await readForm(request, settings, ['fasta_text', 'name', 'runner_parameters']);
  const {
    fasta_text,
    name,
    runner_parameters: runnerParameters,
  } = parseOrRefuse(annotateFields, form.fields);
  if ((form.file === null) === (fasta_text === undefined)) {
    throw fieldProblem('/file', 'give either file or fasta_text', 'required');
  }
  return form.file !== null
    ? {
        name: name ?? nameOfFile(form.file) ?? fallback,
        bytes: form.file.bytes,
        part: 'file',
        runnerParameters,
      }
    : {
        name: name ?? fallback,
        bytes: Buffer.from(fasta_text as string),
        part: 'fasta_text',
        runnerParameters,
      };
}
