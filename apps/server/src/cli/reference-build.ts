import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Input, isTransient, Problem } from '@kindred/client';
import {
  type BuildSize,
  type BuildStep,
  dimensionOf,
  estimateText,
  failedStepOf,
  failureText,
  isBuilt,
  progressOfBuild,
  stateOfBuild,
} from '@kindred/client/reference-builds';
import { finalStatuses, ProblemError } from '@kindred/contracts';
import type { evidenceSelections } from '@kindred/contracts/resources/references';
import { diskSpace } from '../ground/disk-space.js';
import { formOfFile, type ServiceAccess, serviceClient } from './api-client.js';
import { configurationOfModel } from '@kindred/client/configuration-of-model';
import { countRecords, requireRoom } from './reference-estimate.js';
import { openProgress, type Progress } from './progress.js';
import { completeReference, type Reference, referenceName as nameOf } from './reference-text.js';
import { sayingWhatGoesOn } from './until-ended.js';

/** A build has these choices, apart from those of the parts of the reference. */
export interface BuildChoices {
  name: string;
  version?: string;
  evidence: (typeof evidenceSelections)[number];
  model: string;
  use?: boolean;
  quiet?: boolean;
}

export interface BuildOptions extends BuildChoices {
  fasta: string[];
  gaf: string[];
  /** The ontology has this path; if absent, the ontology of the previous version is used. */
  obo?: string;
  taxonomy?: string[];
  interpro2go?: string;
}

/** The next version of a reference has these choices; absent ones are taken over from its newest version. */
export type UpdateChoices = Partial<Pick<BuildChoices, 'version' | 'evidence' | 'model' | 'quiet'>>;

export interface UpdatedReference {
  before: Reference;
  after: Reference;
  /** The build computed vectors for this number of sequences; the others had theirs. */
  newVectors: number;
}

interface LocalFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}
type Body = Input<'POST', '/references'>['body'];
type Job = Awaited<ReturnType<Client['finish']>>;

const pollMs = 400;
/** The service may be away for this long while the build continues. */
const patienceMs = 120_000;

/**
 * Builds the next version of a reference. Equal sequences keep their vectors. If the previous version is the
 * default, the next one becomes it as soon as it is complete.
 */
export async function updateReference(
  client: Client,
  name: string,
  { version, evidence, model, quiet }: UpdateChoices,
  build: (choices: BuildChoices, next: Before) => Promise<Reference>,
): Promise<UpdatedReference> {
  const before = await newestOf(client, name);
  const choices = {
    name,
    version,
    evidence: evidence ?? before.evidence,
    model: model ?? before.vectors[0].model_name,
    quiet,
    ...(before.is_default ? { use: true } : {}),
  };
  const after = await build(choices, { before, keepsVectors: model === undefined });
  return { before, after, newVectors: await newVectorsOf(client, after) };
}

async function newVectorsOf(client: Client, { job_id: jobId }: Reference): Promise<number> {
  if (jobId === null) return 0;
  const steps = await client.get('/jobs', { query: { parent_job_id: jobId, limit: 50 } });
  let count = 0;
  for (const { id, operation } of steps) {
    if (operation !== 'compute_embeddings') continue;
    const { result } = await client.get('/jobs/:id', { params: { id } });
    count += Number(result?.sequences ?? 0);
  }
  return count;
}

async function newestOf(client: Client, name: string): Promise<Reference> {
  if (name.includes('@'))
    throw new ProblemError(
      'malformed_request',
      'Give the name alone: the next version follows the newest one.',
    );
  return completeReference(client, name);
}

/** The next version of a reference takes over these parts. */
export interface Before {
  before: Reference;
  keepsVectors: boolean;
}

/**
 * Hands the files to the service, waits for the build, and gives the reference. An interrupted build
 * continues at the next call.
 */
export async function buildFromFiles(
  service: ServiceAccess,
  options: BuildOptions,
  next?: Before,
): Promise<Reference> {
  const client = serviceClient(service);
  const progress = openProgress(options.quiet === true);
  try {
    const files = await measure(options, progress);
    const body = await requestOf(client, options, { files, next });
    const begun = await beginBuild(client, body, async (missing) => {
      await checkRoom(service, await sizeOf(options, files), options);
      await send(
        client,
        [...files.values()].filter(({ sha256 }) => missing.includes(sha256)),
        progress,
      );
    });
    return await finishBuild(client, begun, { progress, use: options.use === true });
  } finally {
    progress.stop();
  }
}

/** Waits for the build, and makes it the default if requested. */
export async function finishBuild(
  client: Client,
  begun: Reference,
  { progress, use }: { progress: Progress; use: boolean },
): Promise<Reference> {
  // A build that was cut off may have become complete just now, and may still be measured.
  const isOver = begun.status === 'complete' && (begun.reliability !== null || begun.job_id === null);
  const done = isOver
    ? begun
    : await sayingWhatGoesOn('The build goes on in the service; the same command follows it.', () =>
        untilBuilt(client, begun, progress),
      );
  return use && !done.is_default
    ? client.post('/references/:reference/use', { params: { reference: nameOf(done) } })
    : done;
}

function pathsOf({ fasta, gaf, obo, taxonomy = [], interpro2go }: BuildOptions): string[] {
  return [
    ...(obo === undefined ? [] : [obo]),
    ...fasta,
    ...gaf,
    ...taxonomy,
    ...(interpro2go === undefined ? [] : [interpro2go]),
  ];
}

/**
 * Measures sizes and digests, before anything is sent.
 * @throws ProblemError bad_file, naming every file that cannot be read
 */
async function measure(options: BuildOptions, progress: Progress): Promise<Map<string, LocalFile>> {
  const sizes = new Map<string, number>();
  const faults: string[] = [];
  for (const path of pathsOf(options)) {
    const facts = await stat(path).catch((error: NodeJS.ErrnoException) => error);
    if (facts instanceof Error)
      faults.push(`${path} (${facts.code === 'ENOENT' ? 'no such file' : facts.code})`);
    else if (!facts.isFile()) faults.push(`${path} (not a file)`);
    else sizes.set(path, facts.size);
  }
  if (faults.length > 0)
    throw new ProblemError('bad_file', `These files cannot be read: ${faults.join(', ')}.`);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let done = 0;
  const files = new Map<string, LocalFile>();
  for (const [path, sizeBytes] of sizes) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer);
      done += (chunk as Buffer).length;
      progress.show('reading files', done, total);
    }
    files.set(path, { path, sizeBytes, sha256: hash.digest('hex') });
  }
  return files;
}

async function requestOf(
  client: Client,
  options: BuildOptions,
  { files, next }: { files: ReadonlyMap<string, LocalFile>; next: Before | undefined },
): Promise<Body> {
  const source = (path: string) => {
    const { sha256 } = files.get(path) as LocalFile;
    return { url: `upload:${sha256}`, file_name: basename(path) };
  };
  return {
    name: options.name,
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.obo === undefined
      ? { ontology_snapshot_id: next?.before.ontology_snapshot_id ?? undefined }
      : { ontology: source(options.obo) }),
    proteins: options.fasta.map(source),
    annotations: options.gaf.map(source),
    ...(options.taxonomy === undefined ? {} : { taxonomy: taxonomyOf(options.taxonomy, source) }),
    ...(options.interpro2go === undefined ? {} : { interpro_mapping: source(options.interpro2go) }),
    evidence: options.evidence,
    embedding_config_ids: await vectorsOf(client, options.model, next),
    ...(options.use === true ? { make_default: true } : {}),
  };
}

/** Gives the embedding configurations of a build: those of the previous version, or that of the model. */
export async function vectorsOf(client: Client, model: string, next: Before | undefined): Promise<string[]> {
  return next?.keepsVectors === true
    ? next.before.vectors.map(({ embedding_config_id }) => embedding_config_id)
    : [await configurationOfModel(client, model)];
}

function taxonomyOf<S>(
  paths: readonly string[],
  source: (path: string) => S,
): { taxdump: S } | { nodes: S; names: S } {
  const named = (word: string) => paths.find((path) => basename(path).includes(word));
  const [nodes, names] = [named('nodes'), named('names')];
  if (nodes !== undefined && names !== undefined) return { nodes: source(nodes), names: source(names) };
  if (paths.length === 1) return { taxdump: source(paths[0]) };
  throw new ProblemError(
    'malformed_request',
    'Give --taxonomy taxdump.tar.gz, or two files whose names hold nodes and names.',
  );
}

/**
 * Begins the build, or finds it. `provide` brings the files, named by their SHA-256, that the service needs
 * and lacks; a complete reference needs none.
 */
export async function beginBuild(
  client: Client,
  body: Body,
  provide: (missing: readonly string[]) => Promise<void>,
): Promise<Reference> {
  try {
    return await client.post('/references', { body });
  } catch (error) {
    const problem = (error as Error).cause;
    if (!(problem instanceof Problem) || problem.document.code !== 'files_missing') throw error;
    await provide(problem.document.errors.map(({ message }) => /[0-9a-f]{64}/.exec(message)?.[0] ?? message));
    return client.post('/references', { body });
  }
}

/**
 * Says which resources the build takes; a service on this machine must have that much disk.
 * @throws ProblemError out_of_resources
 */
export async function checkRoom(
  { dataDir }: ServiceAccess,
  size: BuildSize,
  { quiet }: Pick<BuildChoices, 'quiet'>,
  downloads = '',
): Promise<void> {
  const freeBytes = dataDir === undefined ? null : (await diskSpace(dataDir)).freeBytes;
  if (quiet !== true) process.stderr.write(`${downloads}${estimateText(size, freeBytes)}\n`);
  if (freeBytes !== null && dataDir !== undefined) requireRoom(size, freeBytes, dataDir);
}

async function sizeOf(options: BuildOptions, files: ReadonlyMap<string, LocalFile>): Promise<BuildSize> {
  const size: BuildSize = {
    proteins: 0,
    rows: 0,
    sentBytes: 0,
    unpackedBytes: 0,
    dimension: dimensionOf(options.model),
    model: options.model,
  };
  for (const [path, { sizeBytes }] of files) {
    const kind = options.fasta.includes(path) ? 'fasta' : options.gaf.includes(path) ? 'table' : 'other';
    const { records, unpackedBytes } = await countRecords(path, kind);
    size.sentBytes += sizeBytes;
    size.unpackedBytes += unpackedBytes;
    if (kind === 'fasta') size.proteins += records;
    if (kind === 'table') size.rows += records;
  }
  return size;
}

async function send(client: Client, files: readonly LocalFile[], progress: Progress): Promise<void> {
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let done = 0;
  for (const { path, sizeBytes, sha256 } of files) {
    progress.show(`sending ${basename(path)}`, done, total);
    const sent = await client.post('/references/files', { form: formOfFile(path) });
    if (sent.sha256 !== sha256)
      throw new ProblemError('bad_file', `${path} changed while it was read; run the command again.`);
    done += sizeBytes;
  }
}

/** @throws ProblemError dependency_failed with the reason of the step that failed */
async function untilBuilt(client: Client, begun: Reference, progress: Progress): Promise<Reference> {
  for (let awaySinceMs: number | null = null; ; await sleep(pollMs)) {
    const state: Awaited<ReturnType<typeof stateOfBuild>> | Error = await stateOfBuild(client, begun).catch(
      (error: Error) => error,
    );
    if (state instanceof Error) {
      // A complete reference may outlive the jobs that built it.
      if (begun.status === 'complete' && codeOf(state) === 'not_found') return begun;
      awaySinceMs ??= Date.now();
      // A part of the service that died is started again, and the build continues.
      if (!isTransient(state.cause) || Date.now() - awaySinceMs > patienceMs) throw state;
      continue;
    }
    awaySinceMs = null;
    const { end, steps, reference } = state;
    const all = [...steps, end];
    if (isBuilt(reference, steps)) return reference;
    const failed = failedStepOf(all);
    if (failed !== undefined) await giveUp(client, end, { failed, reference });
    const { doing, done, total } = progressOfBuild(all);
    progress.show(doing, done, total);
  }
}

const codeOf = ({ cause }: Error) => (cause instanceof Problem ? cause.document.code : null);

async function giveUp(
  client: Client,
  end: Job,
  { failed, reference }: { failed: BuildStep; reference: Reference },
): Promise<never> {
  if (!finalStatuses.includes(end.status))
    await client.post('/jobs/:id/cancel', { params: { id: end.id } }).catch(() => {});
  throw new ProblemError(
    'dependency_failed',
    `${failureText(failed, reference)} The same command goes on from here.`,
  );
}
