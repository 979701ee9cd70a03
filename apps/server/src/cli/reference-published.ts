import { createHash } from 'node:crypto';
import type { Client, Input } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { type ServiceAccess, serviceClient } from './api-client.js';
import { openJob } from './open-job.js';
import {
  type Before,
  beginBuild,
  type BuildChoices,
  checkRoom,
  dimensionOf,
  finishBuild,
  vectorsOf,
} from './reference-build.js';
import { type BuildSize, downloadText } from './reference-estimate.js';
import { openProgress, type Progress } from './progress.js';
import type { Reference } from './reference-text.js';

export interface PublishedOptions extends Omit<BuildChoices, 'name'> {
  name?: string;
  /** A release can be chosen by source, such as uniprot=2022_04. By default, the current ones are used. */
  release?: Record<string, string>;
  /** The sources may have other addresses, such as uniprot_files=https://... */
  mirror?: Record<string, string>;
}
type Body = Input<'POST', '/references'>['body'];

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
    const choices = { ...options, name: options.name ?? nameOf(selections) };
    const embedding_config_ids =
      options.model === publishedVectors.model_name
        ? [await publishedConfiguration(client)]
        : await vectorsOf(client, options.model, next);
    const room = () => checkRoom(service, sizeOf(planned, options.model), options, downloadText(planned));
    const bodyOf = (files: readonly PublishedFile[]) => ({
      ...requestOf(choices, files),
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
    return await finishBuild(client, begun, { progress, use: options.use === true });
  } finally {
    progress.stop();
  }
}

/** UniProt publishes these vectors: one for each protein, the mean over its residues. */
const publishedVectors = {
  model_name: 'uniprot-prott5',
  model_backend: 'imported',
  dimension: 1024,
  normalize: false,
} as const;

async function publishedConfiguration(client: Client): Promise<string> {
  const known = await client.get('/embeddings/configs', { query: { limit: 500 } });
  const same = known.find(({ model_name }) => model_name === publishedVectors.model_name);
  return (same ?? (await client.post('/embeddings/configs', { body: publishedVectors }))).id;
}

/** Makes a name from the selection if the user gives none. */
function nameOf(selections: readonly string[]): string {
  return selections
    .map((selection) => selection.replace(':', '-').toLowerCase())
    .join('_')
    .slice(0, 64);
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

function requestOf(
  { name, version, evidence, use }: BuildChoices,
  files: readonly PublishedFile[],
): Omit<Body, 'embedding_config_ids'> {
  const of = (kind: PublishedFile['kind']) => files.filter((file) => file.kind === kind).map(sourceOf);
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ontology: of('ontology')[0],
    proteins: of('proteins'),
    annotations: of('annotations'),
    interpro_mapping: of('interpro_mapping')[0],
    ...(of('taxon_constraints').length === 0
      ? {}
      : { taxon_constraints: constraintsOf(of('taxon_constraints')) }),
    ...(of('vectors').length === 0 ? {} : { vectors: of('vectors') }),
    evidence,
    ...(use === true ? { make_default: true } : {}),
  };
}

/** The plan has the files in this order. */
function constraintsOf([only_in, never_in, unions]: ReturnType<typeof sourceOf>[]) {
  return { only_in, never_in, unions };
}

function sourceOf({ sha256, file_name, origin, release, url, licence, citation }: PublishedFile) {
  const publisher = release === null ? origin : `${origin} ${release}`;
  return { url: `upload:${sha256}`, file_name, origin: `${publisher}, ${url}`, licence, citation };
}

/** Estimates the size of the download; the exact share of the chosen proteins is known only after reading. */
function sizeOf(files: readonly PublishedFile[], model: string): BuildSize {
  let [proteins, rows, bytes] = [0, 0, 0];
  for (const { kind, proteins: counted, size_bytes } of files) {
    const size = size_bytes ?? (counted ?? 0) * fastaBytes;
    bytes += size;
    if (kind === 'proteins') proteins += counted ?? Math.round(size / packedFastaBytes);
    if (kind === 'annotations') rows += Math.round(size / rowBytes);
  }
  // A file of all proteins is read whole, but only the rows of the chosen ones are kept.
  rows = Math.min(rows, rowsPerProtein * proteins);
  const unpackedBytes = fastaBytes * proteins + rowBytes * rows;
  // The artifact store holds a file while it also has its download, so both count.
  return {
    proteins,
    rows,
    sentBytes: 2 * bytes,
    unpackedBytes,
    dimension: model === publishedVectors.model_name ? publishedVectors.dimension : dimensionOf(model),
    model,
  };
}
/**
 * The sizes were measured on Swiss-Prot and GOA's E. coli: bytes of a protein in a FASTA file, plain and
 * packed, and of a row of a GAF.
 */
const fastaBytes = 430;
const packedFastaBytes = 165;
const rowBytes = 176;
const rowsPerProtein = 15;
