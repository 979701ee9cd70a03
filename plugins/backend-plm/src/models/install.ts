import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import { type CatalogueEntry, catalogueEntry, weightBytes } from './catalogue.js';
import { type Download, download, type DownloadOptions } from './download.js';
import { neededFiles, verifyPinned, writeManifest } from './files.js';
import { weightsFolder } from '../weights/weight-files.js';
import { readModelFolder } from './folder.js';
import { requireAccepted, type Terms, termsOf } from './licence.js';

const usableName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
const repositoryName = /^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

export interface PullRequest {
  modelsDir: string;
  hubUrl: string;
  /** An id of the catalogue, or owner/name of a repository. */
  id: string;
  /** The revision: a branch, tag or commit. */
  revision: string;
  /** Whether the caller accepts a licence that restricts use. */
  acceptLicence: boolean;
}
/** The plan of a download: the files that it would fetch, known before it starts. */
export interface PullPlan extends Terms {
  sizeBytes: number;
  /** The memory for the weights as float32; null if it is not known before the download. */
  memoryBytes: number | null;
}
export interface PullOptions extends Omit<DownloadOptions, 'progress'> {
  /** A function that is called before the first byte is fetched, and before a licence is refused. */
  planned?: (plan: PullPlan) => void;
  progress?: (file: string, bytes: number, sizeBytes: number) => void;
}

/**
 * Downloads a model from the hub. The model gets its name when all files are complete, match the digests in the hub's list,
 * and can be read; until then they are in a hidden folder, where the next call continues.
 *
 * @returns the name of the installed model
 * @throws ProblemError unknown_model, already_exists, fetch_failed, bad_file; validation_failed if the licence restricts use and was not
 * accepted
 */
export async function pullModel(request: PullRequest, options: PullOptions = {}): Promise<string> {
  const { name, repository, entry } = resolveId(request.id);
  const target = join(request.modelsDir, name);
  await refuseExisting(target, name);
  const files = await listRepository(request, repository, options.signal);
  const needed = neededFiles(files.map((file) => file.path));
  const wantedFiles = files.filter((one) => needed.includes(one.path));
  const terms = termsOf(entry, entry ? [] : await statedLicences(request, repository, options.signal));
  options.planned?.({
    ...terms,
    sizeBytes: wantedFiles.reduce((sum, file) => sum + file.sizeBytes, 0),
    memoryBytes: entry ? weightBytes(entry) : null,
  });
  requireAccepted(terms, request.acceptLicence, `${base(request)}/${repository}`);
  const folder = join(request.modelsDir, `.pull-${name}`);
  await mkdir(folder, { recursive: true });
  for (const file of wantedFiles) {
    const wanted: Download = {
      url: `${base(request)}/${repository}/resolve/${encodeURIComponent(request.revision)}/${file.path}`,
      path: join(folder, basename(file.path)),
      sizeBytes: file.sizeBytes,
      digest: file.digest,
    };
    if ((await stat(wanted.path).catch(() => null))?.size === file.sizeBytes) continue;
    await download(wanted, {
      ...options,
      progress: (bytes) => options.progress?.(file.path, bytes, file.sizeBytes),
    });
  }
  const source = `${base(request)}/${repository}`;
  await finish(folder, target, { needed, source, revision: request.revision });
  return name;
}

/**
 * Copies a model from a folder, for machines without access to the hub.
 * @throws ProblemError already_exists, bad_file
 */
export async function addModel(
  modelsDir: string,
  from: string,
  name = basename(resolve(from)),
): Promise<string> {
  if (!usableName.test(name))
    throw new ProblemError(
      'validation_failed',
      `${JSON.stringify(name)} is not a name for a model: use --name`,
    );
  const target = join(modelsDir, name);
  await refuseExisting(target, name);
  const names = await readdir(from).catch(() => {
    throw new ProblemError('bad_file', `there is no folder ${from}`);
  });
  const inside = await readdir(join(from, weightsFolder)).catch(() => []);
  const needed = neededFiles([...names, ...inside.map((name) => `${weightsFolder}/${name}`)]);
  const folder = join(modelsDir, `.add-${name}.${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    // The copy follows links, because the cache of the Python tools consists of links.
    for (const file of needed) await copyFile(join(from, file), join(folder, basename(file)));
    await finish(folder, target, { needed, source: resolve(from), revision: null });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return name;
}

async function finish(
  folder: string,
  target: string,
  { needed, source, revision }: { needed: string[]; source: string; revision: string | null },
): Promise<void> {
  await readModelFolder(folder);
  const manifest = await writeManifest(
    folder,
    needed.map((file) => basename(file)),
    { source, revision },
  );
  verifyPinned(manifest, catalogueEntry(basename(target))?.files ?? {});
  await rename(folder, target);
}

function resolveId(id: string): { name: string; repository: string; entry?: CatalogueEntry } {
  const entry = catalogueEntry(id);
  if (entry) return { name: entry.id, repository: entry.repository, entry };
  if (repositoryName.test(id)) return { name: basename(id), repository: id };
  throw new ProblemError(
    'unknown_model',
    `${JSON.stringify(id)} is not in the catalogue (kindred models list) and is not a repository (owner/name)`,
  );
}

async function refuseExisting(target: string, name: string): Promise<void> {
  if (await stat(target).catch(() => null))
    throw new ProblemError(
      'already_exists',
      `The model ${name} is installed; delete ${target} to replace it.`,
    );
}

const base = ({ hubUrl }: PullRequest) => hubUrl.replace(/\/+$/, '');

interface HubFile {
  path: string;
  sizeBytes: number;
  digest: Download['digest'];
}
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
/** The hub's list, in which large files have their sha256, and small ones git's digest. */
const treeSchema = z.array(
  z.looseObject({
    type: z.string(),
    path: z.string(),
    size: z.int().min(0).optional(),
    oid: hex(40).optional(),
    lfs: z.looseObject({ oid: hex(64), size: z.int().min(0) }).optional(),
  }),
);

const modelSchema = z.looseObject({ tags: z.array(z.string()).default([]) });

/** Returns the licences on the hub's page of a repository; none if the page cannot be read. */
async function statedLicences(
  request: PullRequest,
  repository: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const url = `${base(request)}/api/models/${repository}`;
  const limit = AbortSignal.timeout(60_000);
  const page: unknown = await fetch(url, { signal: signal ? AbortSignal.any([signal, limit]) : limit })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null);
  signal?.throwIfAborted();
  const mark = 'license:';
  return (modelSchema.safeParse(page).data?.tags ?? [])
    .filter((tag) => tag.startsWith(mark))
    .map((tag) => tag.slice(mark.length));
}

async function listRepository(
  request: PullRequest,
  repository: string,
  signal?: AbortSignal,
): Promise<HubFile[]> {
  const url = `${base(request)}/api/models/${repository}/tree/${encodeURIComponent(request.revision)}`;
  const limit = AbortSignal.timeout(60_000);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, limit]) : limit }).catch(
    (cause: Error) => {
      signal?.throwIfAborted();
      throw new ProblemError(
        'fetch_failed',
        `The hub ${base(request)} cannot be reached (${cause.cause instanceof Error ? cause.cause.message : cause.message}). Set SVC_MODEL_HUB_URL to a mirror, or use "kindred models add <folder>".`,
        { cause },
      );
    },
  );
  if (!response.ok)
    throw new ProblemError(
      response.status === 404 || response.status === 401 ? 'unknown_model' : 'fetch_failed',
      `The hub answered ${response.status} for ${repository}, revision ${request.revision}`,
    );
  const parsed = treeSchema.safeParse(await response.json().catch(() => null));
  if (!parsed.success)
    throw new ProblemError('fetch_failed', `${url} is not a list of files of the hub's kind`);
  return parsed.data.flatMap(({ type, path, size, oid, lfs }): HubFile[] => {
    if (type !== 'file') return [];
    if (lfs) return [{ path, sizeBytes: lfs.size, digest: { kind: 'sha256', hex: lfs.oid } }];
    return size === undefined || oid === undefined
      ? []
      : [{ path, sizeBytes: size, digest: { kind: 'git', hex: oid } }];
  });
}
