import { createHash } from 'node:crypto';
import type { Client } from '@kindred/client';
import {
  nameOfSelections,
  partsOfPublished,
  publishedVectors,
  sizeOfPublished,
} from '@kindred/client/reference-builds';
import { ProblemError } from '@kindred/contracts';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { type ServiceAccess, serviceClient } from './api-client.js';
import { openJob } from './open-job.js';
import {
  type Before,
  beginBuild,
  type BuildChoices,
  checkRoom,
  finishBuild,
  vectorsOf,
} from './reference-build.js';
import { downloadText } from './reference-estimate.js';
import { openProgress, type Progress } from './progress.js';
import type { Reference } from './reference-text.js';

export interface PublishedOptions extends Omit<BuildChoices, 'name'> {
  name?: string;
  /** A release can be chosen by source, such as uniprot=2022_04. By default, the current ones are used. */
  release?: Record<string, string>;
  /** The sources may have other addresses, such as uniprot_files=https://... */
  mirror?: Record<string, string>;
}

/**
 * Downloads what UniProt, GOA and GO publish about the chosen proteins and builds a reference from it. An
 * interrupted download or build continues at the next call. If nothing changed on the servers, nothing is
 * downloaded or built again.
 */
export async function buildFromPublished(
  service: ServiceAccess,
  selections: readonly string[],
  options: PublishedOptions,
  next?: Before,
): Promise<Reference> {
  const client = serviceClient(service);
  const progress = openProgress(options.quiet === true);
  try {
    progress.show('asking the servers for sizes', 0, 1);
    const planned = await plan(client, selections, options);
    const { version, evidence, use, name = nameOfSelections(selections) } = options;
    const embedding_config_ids =
      options.model === publishedVectors.model_name
        ? [await publishedConfiguration(client)]
        : await vectorsOf(client, options.model, next);
    const room = () =>
      checkRoom(service, sizeOfPublished(planned, options.model), options, downloadText(planned));
    const bodyOf = (files: readonly PublishedFile[]) => ({
      name,
      ...(version === undefined ? {} : { version }),
      ...partsOfPublished(files),
      evidence,
      ...(use === true ? { make_default: true } : {}),
      embedding_config_ids,
    });
    const isKnown = planned.every(({ sha256 }) => sha256 !== null);
    let files = planned;
    if (!isKnown) {
      await room();
      files = await download(client, planned, progress);
    }
    const begun = await beginBuild(client, bodyOf(files), async () => {
      await room();
      await download(client, files, progress);
    });
    return await finishBuild(client, begun, { progress, use: use === true });
  } finally {
    progress.stop();
  }
}

async function publishedConfiguration(client: Client): Promise<string> {
  const known = await client.get('/embeddings/configs', { query: { limit: 500 } });
  const same = known.find(({ model_name }) => model_name === publishedVectors.model_name);
  return (same ?? (await client.post('/embeddings/configs', { body: publishedVectors }))).id;
}

async function plan(
  client: Client,
  selections: readonly string[],
  { release = {}, mirror = {}, model }: PublishedOptions,
): Promise<PublishedFile[]> {
  const payload = {
    selections,
    releases: release,
    addresses: mirror,
    vectors: model === publishedVectors.model_name,
  };
  const asked = { operation: 'plan_reference_download', queue_name: 'svc.jobs', payload };
  return publishedBy(async () => (await client.run(asked)).result, {
    failed: 'The download could not be planned',
    next: 'Nothing was downloaded. Where a server is at fault, run the same command again later, or name another one with --mirror.',
  });
}

/** @throws ProblemError that says what happened and what to do */
async function publishedBy(
  work: () => Promise<Record<string, unknown> | null | undefined>,
  { failed, next }: { failed: string; next: string },
): Promise<PublishedFile[]> {
  try {
    return (await work())?.files as PublishedFile[];
  } catch (error) {
    throw new ProblemError('dependency_failed', `${failed}: ${(error as Error).message} ${next}`, {
      cause: error,
    });
  }
}

/** Waits for the files; a job of an earlier call that still runs is followed. */
async function download(
  client: Client,
  files: readonly PublishedFile[],
  progress: Progress,
): Promise<PublishedFile[]> {
  const operation = 'download_reference_files';
  // The plan is the same when the same files are requested, whichever of them came meanwhile.
  const asked = JSON.stringify(files.map(({ sha256: _, ...file }) => file));
  const tags = [`files ${createHash('sha256').update(asked).digest('hex').slice(0, 16)}`];
  const body = { operation, queue_name: 'svc.jobs', payload: { files }, tags };
  const jobId = (await openJob(client, operation, tags)) ?? (await client.post('/jobs', { body })).id;
  const onUpdate = (job: { progress_current: number; progress_total: number | null }) =>
    progress.show('downloading', job.progress_current, job.progress_total ?? 1);
  return publishedBy(async () => (await client.finish(jobId, { onUpdate })).result, {
    failed: 'The sources were not downloaded',
    next: 'Nothing was built; what came is kept, and the same command goes on from there.',
  });
}
