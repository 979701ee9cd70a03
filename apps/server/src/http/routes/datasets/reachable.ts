import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type FieldFault, ProblemError } from '@kindred/contracts';
import {
  type ImportBody,
  type DatasetManifest,
  datasetManifest,
} from '@kindred/contracts/resources/datasets';
import { type AxisTuple, axisTupleId } from '@kindred/kernels/identity';
import { parquetMetadataAsync } from 'hyparquet';
import type { ArtifactStore } from '../../../ground/artifacts/artifact-store.js';
import { validationProblem } from '../../problems.js';

const maxManifestBytes = 16 << 20;
const firstFooterBytes = 64 << 10;
const maxFooterBytes = 64 << 20;

/** The body of an import that says where everything is. */
export type PlacedBody = ImportBody &
  Required<Pick<ImportBody, 'storage_backend' | 'key_prefix' | 'train_uri' | 'eval_uri'>>;

/**
 * Says where everything is that the body leaves out: beside the manifest.
 * @throws ProblemError validation_failed for a manifest that is not in the store
 */
export function placed(artifacts: ArtifactStore, body: ImportBody): PlacedBody {
  const folder = body.manifest_uri.slice(0, body.manifest_uri.lastIndexOf('/'));
  const places = {
    storage_backend: body.storage_backend ?? (folder.startsWith('s3://') ? 's3' : 'local'),
    train_uri: body.train_uri ?? `${folder}/train.parquet`,
    eval_uri: body.eval_uri ?? `${folder}/eval.parquet`,
  };
  return { ...body, ...places, key_prefix: body.key_prefix ?? folderKey(artifacts, body.manifest_uri) };
}

function folderKey(artifacts: ArtifactStore, uri: string): string {
  const faults: FieldFault[] = [];
  try {
    return artifacts.keyOf(uri).replace(/\/?[^/]*$/, '');
  } catch (error) {
    ownFault(
      (path, message, code = 'invalid') => faults.push({ path, message, code }),
      '/manifest_uri',
    )(error);
    throw validationProblem(faults);
  }
}

export interface PublishedDataset {
  manifest: DatasetManifest;
  manifestSha: string;
}

/**
 * Reads the manifest and the footers of both Parquet files, and compares them with each other and with the
 * body.
 * @throws ProblemError validation_failed with every disagreement, and every address that the store does not
 * take
 */
export async function readPublished(artifacts: ArtifactStore, body: PlacedBody): Promise<PublishedDataset> {
  const faults: FieldFault[] = [];
  const fault = (path: string, message: string, code = 'mismatch') => faults.push({ path, message, code });
  checkPrefix(artifacts, body, fault);
  const published = await readManifest(artifacts, body, fault);
  const manifest = published?.manifest;
  if (manifest !== undefined) compareWithBody(manifest, body, fault);
  for (const part of ['train', 'eval'] as const) {
    const found = await readFooter(artifacts, body[`${part}_uri`]).catch(ownFault(fault, `/${part}_uri`));
    if (found === null || manifest === undefined) continue;
    const rows = manifest[`n_${part}_rows`];
    if (found.rows !== rows)
      fault(`/n_${part}_rows`, `the file has ${found.rows} rows, the manifest says ${rows}`);
    const size = manifest.files?.[part].size_bytes;
    if (size !== undefined && size !== found.sizeBytes)
      fault(`/${part}_uri`, `the file has ${found.sizeBytes} bytes, the manifest says ${size}`);
  }
  if (published === null || faults.length > 0) throw validationProblem(faults);
  return published;
}

type Fault = (path: string, message: string, code?: string) => void;

/** A refusal of the store about this field becomes a fault of the field. */
function ownFault(fault: Fault, path: string): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof ProblemError) || error.code === 'artifact_store_failed') throw error;
    fault(path, error.message, error.code);
    return null;
  };
}

/** Checks that the three files have the names that an export writes for the prefix. */
function checkPrefix(artifacts: ArtifactStore, body: PlacedBody, fault: Fault): void {
  let expected: string;
  try {
    expected = artifacts.addressOf(artifacts.uriOf(`${body.key_prefix}/manifest.json`));
  } catch (error) {
    ownFault(fault, '/key_prefix')(error);
    return;
  }
  const folderOf = (uri: string) => uri.slice(0, uri.lastIndexOf('/'));
  for (const field of ['train_uri', 'eval_uri', 'manifest_uri'] as const)
    if (folderOf(body[field]) !== folderOf(expected))
      fault(`/${field}`, `the folder of key_prefix ${body.key_prefix} is ${folderOf(expected)}`);
}

async function readManifest(
  artifacts: ArtifactStore,
  body: ImportBody,
  fault: Fault,
): Promise<PublishedDataset | null> {
  const bytes = await readWhole(artifacts, body.manifest_uri).catch(ownFault(fault, '/manifest_uri'));
  if (bytes === null) return null;
  const manifestSha = createHash('sha256').update(bytes).digest('hex');
  if (body.manifest_sha && body.manifest_sha !== manifestSha)
    fault('/manifest_sha', `the manifest's bytes have the SHA-256 ${manifestSha}`);
  const parsed = datasetManifest.safeParse(jsonOf(bytes));
  if (parsed.success) return { manifest: parsed.data, manifestSha };
  const [issue] = parsed.error.issues;
  fault(
    '/manifest_uri',
    `not a dataset manifest of version 2: ${issue.path.join('/') || 'the file'}: ${issue.message}`,
    'bad_file',
  );
  return null;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

async function readWhole(artifacts: ArtifactStore, uri: string): Promise<Buffer> {
  const size = await artifacts.size(uri);
  if (size === null) throw new ProblemError('artifact_not_found', 'there is no such file in the store');
  if (size > maxManifestBytes)
    throw new ProblemError('bad_file', `a manifest has at most ${maxManifestBytes} bytes, this file ${size}`);
  return readRange(artifacts, uri, 0, size);
}

async function readRange(
  artifacts: ArtifactStore,
  uri: string,
  start: number,
  endExclusive: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(uri, { start, endExclusive })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const stated = [
  'schema_sha',
  'k',
  'annotation_source',
  'n_train_rows',
  'n_eval_rows',
  'embedding_config_id',
  'ontology_snapshot_id',
  'train_snapshot_pairs',
  'eval_snapshot_pair',
  'producer_version',
  'producer_git_sha',
] as const;

/** A field that only one of the two gives does not contradict the other. */
function compareWithBody(manifest: DatasetManifest, body: ImportBody, fault: Fault): void {
  const differ = (field: string, says: unknown, given: unknown) => {
    if (given === undefined || given === null || says === undefined || says === null) return;
    if (!isDeepStrictEqual(says, given))
      fault(`/${field}`, `the manifest says ${JSON.stringify(says)}, the body ${JSON.stringify(given)}`);
  };
  for (const field of stated) differ(field, manifest[field], body[field]);
  for (const field of ['axis_tuple', 'axis_id'] as const)
    differ(`meta/${field}`, manifest[field], body.meta[field]);
  const { axis_tuple, axis_id } = manifest;
  if (axis_tuple === undefined) return;
  const own = axisIdOf(axis_tuple);
  if (axis_id !== undefined && axis_id !== own)
    fault('/manifest_uri', `its axis_id is ${axis_id}, that of its axis_tuple ${own ?? 'none'}`);
}

/** Gives the id of an axis tuple; null for any other value. */
function axisIdOf(tuple: Record<string, unknown>): string | null {
  try {
    return axisTupleId(tuple as AxisTuple);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Reads the rows and the size of a Parquet file from its footer alone. */
async function readFooter(
  artifacts: ArtifactStore,
  uri: string,
): Promise<{ rows: number; sizeBytes: number }> {
  const size = await artifacts.size(uri);
  if (size === null) throw new ProblemError('artifact_not_found', 'there is no such file in the store');
  let read = 0;
  const slice = async (start: number, end = size) => {
    read += end - start;
    if (read > maxFooterBytes) throw new RangeError('its footer is too large');
    const bytes = await readRange(artifacts, uri, start, end);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  };
  try {
    const file = { byteLength: size, slice };
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: firstFooterBytes });
    return { rows: Number(metadata.num_rows), sizeBytes: size };
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError('bad_file', `not a Parquet file: ${(error as Error).message}`, { cause: error });
  }
}
