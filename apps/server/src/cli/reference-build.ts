import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Input, isTransient, Problem } from '@kindred/client';
import { finalStatuses, ProblemError } from '@kindred/contracts';
import type { evidenceSelections } from '@kindred/contracts/resources/references';
import { type ServiceAccess, serviceClient } from './api-client.js';

import { buildProgress, type BuildProgress } from './reference-progress.js';
import type { Reference } from './reference-text.js';

export interface BuildOptions {
  name: string;
  version?: string;
  fasta: string[];
  gaf: string[];
  obo: string;
  taxonomy?: string[];
  interpro2go?: string;
  evidence: (typeof evidenceSelections)[number];
  model: string;
  use?: boolean;
  quiet?: boolean;
}

interface LocalFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}
type Body = Input<'POST', '/references'>['body'];
type Job = Awaited<ReturnType<Client['finish']>>;

const pollMs = 400;
/** How long the service may be away while the build goes on. */
const patienceMs = 120_000;

/** Hands the files to the service, waits for the build, and gives the reference. An interrupted build goes on at the next call. */
export async function buildFromFiles(service: ServiceAccess, options: BuildOptions): Promise<Reference> {
  const client = serviceClient(service);
  const progress = buildProgress(options.quiet === true);
  try {
    const files = await measure(options, progress);
    const body = await requestOf(client, options, files);
    const begun = await begin(client, body, { files, progress });
    const done = begun.status === 'complete' ? begun : await untilBuilt(client, begun, progress);
    return options.use === true && !done.is_default
      ? client.post('/references/:reference/use', { params: { reference: nameOf(done) } })
      : done;
  } finally {
    progress.stop();
  }
}

const nameOf = ({ name, version }: Reference) => `${name}@${version}`;

function pathsOf({ fasta, gaf, obo, taxonomy = [], interpro2go }: BuildOptions): string[] {
  return [obo, ...fasta, ...gaf, ...taxonomy, ...(interpro2go === undefined ? [] : [interpro2go])];
}

/** Sizes and digests, before anything is sent. @throws ProblemError bad_file, naming every file that cannot be read */
async function measure(options: BuildOptions, progress: BuildProgress): Promise<Map<string, LocalFile>> {
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
  files: ReadonlyMap<string, LocalFile>,
): Promise<Body> {
  const source = (path: string) => {
    const { sha256 } = files.get(path) as LocalFile;
    return { url: `upload:${sha256}`, file_name: basename(path) };
  };
  return {
    name: options.name,
    ...(options.version === undefined ? {} : { version: options.version }),
    ontology: source(options.obo),
    proteins: options.fasta.map(source),
    annotations: options.gaf.map(source),
    ...(options.taxonomy === undefined ? {} : { taxonomy: taxonomyOf(options.taxonomy, source) }),
    ...(options.interpro2go === undefined ? {} : { interpro_mapping: source(options.interpro2go) }),
    evidence: options.evidence,
    embedding_config_ids: [await configOf(client, options.model)],
    ...(options.use === true ? { make_default: true } : {}),
  };
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

/** The configuration of a model: an existing one, or the usual one of an installed backend. */
async function configOf(client: Client, model: string): Promise<string> {
  const known = (await client.get('/embeddings/configs', { query: { limit: 500 } })).find(
    (config) => config.id === model || config.model_name === model,
  );
  if (known !== undefined) return known.id;
  const refusals: string[] = [];
  for (const { name, state } of await client.get('/backends')) {
    if (state !== 'available') continue;
    try {
      return (await client.post('/embeddings/configs', { body: { model_name: model, model_backend: name } }))
        .id;
    } catch (error) {
      refusals.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new ProblemError(
    'unknown_model',
    `No installed backend has the model ${model}. ${refusals.join(' ')}`,
  );
}

/** Begins the build; sends the files that the service does not have yet. */
async function begin(
  client: Client,
  body: Body,
  { files, progress }: { files: ReadonlyMap<string, LocalFile>; progress: BuildProgress },
): Promise<Reference> {
  try {
    return await client.post('/references', { body });
  } catch (error) {
    const problem = (error as Error).cause;
    if (!(problem instanceof Problem) || problem.document.code !== 'files_missing') throw error;
    const missing = problem.document.errors.map(({ message }) => /[0-9a-f]{64}/.exec(message)?.[0]);
    await send(
      client,
      [...files.values()].filter((file) => missing.includes(file.sha256)),
      progress,
    );
    return client.post('/references', { body });
  }
}

async function send(client: Client, files: readonly LocalFile[], progress: BuildProgress): Promise<void> {
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let done = 0;
  for (const { path, sizeBytes, sha256 } of files) {
    progress.show(`sending ${basename(path)}`, done, total);
    const form = new FormData();
    form.set('file', await openAsBlob(path), basename(path));
    const sent = await client.post('/references/files', { form });
    if (sent.sha256 !== sha256)
      throw new ProblemError('bad_file', `${path} changed while it was read; run the command again.`);
    done += sizeBytes;
  }
}

/** Steps of a build that have a share in the whole, with its size: measured on 516,000 proteins. */
const shares: Record<string, number> = {
  load_ontology_snapshot: 3,
  load_taxonomy: 5,
  load_interpro_go_mapping: 1,
  load_reference_proteins: 27,
  load_reference_annotations: 13,
  compute_embeddings: 98,
  build_reference: 42,
};
const stepWords: Record<string, string> = {
  load_ontology_snapshot: 'ontology',
  load_taxonomy: 'taxonomy',
  load_interpro_go_mapping: 'InterPro mapping',
  load_reference_proteins: 'proteins',
  load_reference_annotations: 'annotations',
  compute_embeddings: 'vectors',
  build_reference: 'bank',
};

interface BuildState {
  end: Job;
  steps: Step[];
  reference: Reference;
}

/** @throws ProblemError dependency_failed with the reason of the step that failed */
async function untilBuilt(client: Client, begun: Reference, progress: BuildProgress): Promise<Reference> {
  for (let awaySinceMs: number | null = null; ; await sleep(pollMs)) {
    const state: BuildState | Error = await stateOf(client, begun).catch((error: Error) => error);
    if (state instanceof Error) {
      awaySinceMs ??= Date.now();
      // A part of the service that died is started again, and the build goes on.
      if (!isTransient(state.cause) || Date.now() - awaySinceMs > patienceMs) throw state;
      continue;
    }
    awaySinceMs = null;
    const { end, steps, reference } = state;
    if (reference.status === 'complete') return reference;
    const all = [...steps, end];
    const failed = all.find(({ status }) => status === 'FAILED' || status === 'CANCELLED');
    if (failed !== undefined) await giveUp(client, end, { failed, reference });
    showSteps(all, progress);
  }
}

async function stateOf(client: Client, begun: Reference): Promise<BuildState> {
  const jobId = begun.job_id as string;
  const end = await client.get('/jobs/:id', { params: { id: jobId } });
  const steps = await client.get('/jobs', { query: { parent_job_id: jobId, limit: 50 } });
  const reference = await client.get('/references/:reference', { params: { reference: nameOf(begun) } });
  return { end, steps, reference };
}

type Step = Pick<Job, 'operation' | 'status' | 'progress_current' | 'progress_total' | 'error_message'>;

async function giveUp(
  client: Client,
  end: Job,
  { failed, reference }: { failed: Step; reference: Reference },
): Promise<never> {
  if (!finalStatuses.includes(end.status))
    await client.post('/jobs/:id/cancel', { params: { id: end.id } }).catch(() => {});
  const what = stepWords[failed.operation] ?? failed.operation;
  const why = failed.error_message ?? reference.error ?? 'the build was cancelled.';
  throw new ProblemError(
    'dependency_failed',
    `The reference was not built (${what}): ${why} The same command goes on from here.`,
  );
}

function showSteps(steps: readonly Step[], progress: BuildProgress): void {
  let done = 0;
  let total = 0;
  for (const step of steps) {
    const share = shares[step.operation] ?? 1;
    total += share;
    if (step.status === 'SUCCEEDED') done += share;
    else if (step.progress_total) done += share * Math.min(1, step.progress_current / step.progress_total);
  }
  const running = steps
    .filter(({ status }) => status === 'RUNNING')
    .map(({ operation }) => stepWords[operation]);
  progress.show(running.join(' and ') || 'waiting for a worker', Math.round(1000 * done), 1000 * total);
}
