import type { Visibility } from '@kindred/contracts';
import type { LeftOut } from '@kindred/contracts/left-out';
import type { annotateReply } from '@kindred/contracts/resources/annotate';
import type { z } from 'zod';
import { type QuotaSubject, takeQuota } from '../../accounts/limits.js';
import type { AccountSettings } from '../../accounts/settings.js';
import type { IdempotencyClaim, StoredAnswer } from '../../store/accounts/idempotency.repository.js';
import type { Transaction } from '../../store/postgres/db.js';
import { insertQueryHits, type QueryHits } from '../../store/proteins/query-hits.repository.js';
import { insertQuerySet, type NewQueryEntry } from '../../store/proteins/query-sets.repository.js';
import { type AnsweredWork, commitWork } from './answered-work.js';
import type { JobDeps } from './publish.js';
import { enqueueJob, type JobRequest } from './submit.js';

type Job = Awaited<ReturnType<typeof enqueueJob>>;

type AnnotateReply = z.infer<typeof annotateReply>;

/** An annotation uses this reference and these models. */
export interface AnnotationReference {
  embedding_config_id: string;
  annotation_set_id: string;
  ontology_snapshot_id: string;
}

export interface Annotation {
  name: string;
  records: readonly NewQueryEntry[];
  /** The upload named these records, too. */
  leftOut: LeftOut;
  /** Hits of the records by another program; null if there are none. */
  hits: QueryHits | null;
  /**
   * An unsaved upload is deleted after so many hours; null for a saved one, which is in the caller's history.
   */
  ttlHours: number | null;
  visibility: Visibility;
  autoPredict: boolean;
  reference: AnnotationReference;
  /** Vectors are also computed with the configurations of these ids. */
  moreConfigs: readonly string[];
  chosenBy: Pick<
    AnnotateReply,
    | 'annotation_set_chosen_by'
    | 'embedding_config_chosen_by'
    | 'reference'
    | 'more_references'
    | 'not_searched'
  >;
  /** The options of predict_go_terms say how to predict. */
  options: Record<string, unknown>;
}

/**
 * Takes the quota and adds the query set, the embedding job and, if requested, the prediction that waits for
 * it: all or nothing.
 * @throws ProblemError quota_exceeded, idempotency_mismatch
 */
export function startAnnotation(
  deps: JobDeps & { settings: AccountSettings },
  { claim, subject }: { claim: IdempotencyClaim | null; subject: QuotaSubject },
  annotation: Annotation,
): Promise<StoredAnswer> {
  return commitWork(deps, claim, async (trx) => {
    const units = annotation.records.length;
    await takeQuota(trx, deps.settings, subject, { resource: 'sequences', units });
    return enqueueAnnotation(trx, subject.principal.user?.id ?? null, annotation);
  });
}

/** Queues a job for each embedding configuration; each waits for the previous one. */
async function enqueueEmbeddings(
  trx: Transaction,
  common: Pick<JobRequest, 'ownerUserId' | 'meta'>,
  { querySetId, configs }: { querySetId: string; configs: readonly string[] },
): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const config of new Set(configs))
    jobs.push(
      await enqueueJob(trx, {
        ...common,
        operation: 'compute_embeddings',
        queueName: 'svc.embeddings',
        payload: { embedding_config_id: config, query_set_id: querySetId },
        waitsForJobId: jobs.at(-1)?.id ?? null,
      }),
    );
  return jobs;
}

async function enqueueAnnotation(
  trx: Transaction,
  owner: string | null,
  annotation: Annotation,
): Promise<AnsweredWork> {
  const { name, records, hits, ttlHours, visibility, autoPredict, reference, options } = annotation;
  const saved = ttlHours === null;
  const set = await insertQuerySet(
    trx,
    { name, description: null, owner_user_id: owner, listed: saved, visibility, ttlHours },
    records,
  );
  if (hits !== null) await insertQueryHits(trx, set.id, hits);
  // A job of an unsaved upload is in no list either.
  const common = { ownerUserId: owner, meta: saved ? {} : { ephemeral: true } };
  const embeddings = await enqueueEmbeddings(trx, common, {
    querySetId: set.id,
    configs: [reference.embedding_config_id, ...annotation.moreConfigs],
  });
  const last = embeddings[embeddings.length - 1];
  const predictPayload = { ...reference, query_set_id: set.id, ...options };
  const prediction: Job | null = autoPredict
    ? await enqueueJob(trx, {
        ...common,
        operation: 'predict_go_terms',
        queueName: 'svc.predictions',
        payload: predictPayload,
        waitsForJobId: last.id,
      })
    : null;
  const body: AnnotateReply = {
    query_set_id: set.id,
    name,
    ...reference,
    ...annotation.chosenBy,
    embedding_job_id: last.id,
    embedding_job_ids: embeddings.map(({ id }) => id),
    predict_job_id: prediction?.id ?? null,
    predict_payload: predictPayload,
    sequence_count: records.length,
    left_out: annotation.leftOut,
    hits: hits?.about ?? null,
    save_history: saved,
    visibility,
    expires_at: set.expires_at,
  };
  const headers = { location: `/v1/jobs/${(prediction ?? last).id}` };
  return {
    answer: { status: 202, headers, body },
    jobs: prediction === null ? embeddings : [...embeddings, prediction],
  };
}
