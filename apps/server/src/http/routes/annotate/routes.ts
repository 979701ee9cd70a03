import { createHash } from 'node:crypto';
import { atLeast, ProblemError } from '@kindred/contracts';
import type { FastaRecord } from '@kindred/kernels/formats';
import {
  annotateFields,
  annotateJson,
  annotateReply,
  annotateRoutes,
} from '@kindred/contracts/resources/annotate';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type QuotaSubject, takeQuota } from '../../../accounts/limits.js';
import { enqueueJob } from '../../../jobs/submit.js';
import type { Transaction } from '../../../store/postgres/db.js';
import { insertQuerySet } from '../../../store/proteins/query-sets.repository.js';
import { chunksYielding } from '../../../event-loop.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireRole } from '../../plugins/credentials.js';
import { fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { commitWork, quotaSubject, type Work } from '../../submit.js';
import { readForm, readUploadedFasta } from '../../upload.js';
import { parseOrRefuse } from '../../validation.js';
import { type Choice, chooseReference } from './choice.js';

type Reply = z.infer<typeof annotateReply>;
interface Annotation {
  name: string;
  records: FastaRecord[];
  saved: boolean;
  autoPredict: boolean;
  choice: Choice;
}

export function serveAnnotate(api: Api, deps: RouteDeps): void {
  const { settings } = deps;
  serve(
    api,
    annotateRoutes.annotate,
    async (request, reply) => {
      const { save_history, auto_predict } = request.query;
      const saved = isSaved(request, save_history);
      const { name, bytes, part } = await readInput(request, deps);
      const records = await readUploadedFasta(bytes, settings, part);
      const choice = await chooseReference(deps.db);
      const annotation = { name, records, saved, autoPredict: auto_predict ?? false, choice };
      const fingerprint = createHash('sha256').update(JSON.stringify([name, saved, annotation.autoPredict]));
      for await (const piece of chunksYielding(bytes)) fingerprint.update(piece);
      const subject = await quotaSubject(deps, request);
      const answer = await commitWork(deps, request, fingerprint.digest(), (trx) =>
        start(deps, trx, subject, annotation),
      );
      return reply
        .code(202)
        .headers(answer.headers)
        .send(answer.body as Reply);
    },
    {
      // JSON escapes double a line end; the text itself is measured afterwards.
      bodyLimit: settings.maxUploadBytes * 2,
    },
  );
}

/** @throws ProblemError credential_missing, role_too_low: only an account from researcher on has a history */
function isSaved({ principal }: FastifyRequest, asked: boolean | undefined): boolean {
  if (asked === undefined) return atLeast(principal.role, 'researcher');
  if (asked) requireRole(principal, 'researcher');
  return asked;
}

async function readInput(
  request: FastifyRequest,
  { settings }: RouteDeps,
): Promise<{ name: string; bytes: Uint8Array; part: 'file' | 'fasta_text' }> {
  const fallback = 'Quick annotation';
  if (!request.isMultipart()) {
    if (request.body === undefined && request.headers['content-type'] === undefined) {
      throw new ProblemError(
        'unsupported_media_type',
        'Send multipart/form-data, or application/json with fasta_text.',
      );
    }
    const { fasta_text, name = fallback } = parseOrRefuse(annotateJson, request.body);
    return { name, bytes: Buffer.from(fasta_text), part: 'fasta_text' };
  }
  const form = await readForm(request, settings, ['fasta_text', 'name']);
  const { fasta_text, name = fallback } = parseOrRefuse(annotateFields, form.fields);
  if ((form.file === null) === (fasta_text === undefined)) {
    throw fieldProblem('/file', 'give either file or fasta_text', 'required');
  }
  return form.file !== null
    ? { name, bytes: form.file.bytes, part: 'file' }
    : { name, bytes: Buffer.from(fasta_text as string), part: 'fasta_text' };
}

/** Quota, query set, embedding job and, where asked for, the prediction that waits for it: all or nothing. */
async function start(
  { settings }: RouteDeps,
  trx: Transaction,
  subject: QuotaSubject,
  { name, records, saved, autoPredict, choice }: Annotation,
): Promise<Work> {
  const owner = subject.principal.user?.id ?? null;
  await takeQuota(trx, settings, subject, { resource: 'sequences', units: records.length });
  const set = await insertQuerySet(
    trx,
    {
      name,
      description: null,
      owner_user_id: owner,
      listed: saved,
      ttlHours: saved ? null : settings.ephemeralTtlHours,
    },
    records,
  );
  // A job of an unsaved upload is in no list either.
  const common = { ownerUserId: owner, meta: saved ? {} : { ephemeral: true } };
  const embedding = await enqueueJob(trx, {
    ...common,
    operation: 'compute_embeddings',
    queueName: 'svc.embeddings',
    payload: { embedding_config_id: choice.embedding_config_id, query_set_id: set.id },
  });
  const predictPayload = { ...choice, query_set_id: set.id };
  const prediction = autoPredict
    ? await enqueueJob(trx, {
        ...common,
        operation: 'predict_go_terms',
        queueName: 'svc.predictions',
        payload: predictPayload,
        waitsForJobId: embedding.id,
      })
    : null;
  const body: Reply = {
    query_set_id: set.id,
    ...choice,
    embedding_job_id: embedding.id,
    predict_job_id: prediction?.id ?? null,
    predict_payload: predictPayload,
    sequence_count: records.length,
    save_history: saved,
    expires_at: set.expires_at,
  };
  const headers = { location: `/v1/jobs/${(prediction ?? embedding).id}` };
  return {
    answer: { status: 202, headers, body },
    jobs: prediction === null ? [embedding] : [embedding, prediction],
  };
}
