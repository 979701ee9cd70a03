import { createHash } from 'node:crypto';
import { type FieldFault, ProblemError } from '@kindred/contracts';
import {
  type ImportBody,
  type DatasetManifest,
  datasetManifest,
} from '@kindred/contracts/resources/datasets';
import { parquetMetadataAsync } from 'hyparquet';
import type { ArtifactStore } from '../../../artifacts/artifact-store.js';
import { validationProblem } from '../../problems.js';

const maxManifestBytes = 16 << 20;
const firstFooterBytes = 64 << 10;
const maxFooterBytes = 64 << 20;

/**
 * Compares what the body says with the files, as far as they lie in the store of this service: the manifest's digest and
 * figures, and that both Parquet files are there, readable, and have the rows that the manifest counts. Files elsewhere are
 * taken as the body describes them.
 * @throws ProblemError validation_failed with every disagreement
 */
export async function checkReachable(artifacts: ArtifactStore, body: ImportBody): Promise<void> {
  const faults: FieldFault[] = [];
  const fault = (path: string, message: string, code = 'mismatch') => faults.push({ path, message, code });
  const manifest = await readManifest(artifacts, body, fault);
  if (manifest !== null) compareFigures(manifest, body, fault);
  for (const part of ['train', 'eval'] as const) {
    const uri = body[`${part}_uri`];
    if (uri === null) continue;
    const found = await readFooter(artifacts, uri).catch(ownFault(fault, `/${part}_uri`));
    if (found === null) continue;
    const rows = body[`n_${part}_rows`];
    if (found.rows !== rows) fault(`/n_${part}_rows`, `the file has ${found.rows} rows, not ${rows}`);
    const size = manifest?.files?.[part].size_bytes;
    if (size !== undefined && size !== found.sizeBytes)
      fault(`/${part}_uri`, `the file has ${found.sizeBytes} bytes, the manifest says ${size}`);
  }
  if (faults.length > 0) throw validationProblem(faults);
}

type Fault = (path: string, message: string, code?: string) => void;

/** A refusal of the store about this field becomes a fault of the field; null means a file elsewhere. */
function ownFault(fault: Fault, path: string): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof ProblemError) || error.code === 'artifact_store_failed') throw error;
    if (error.code !== 'artifact_uri_refused') fault(path, error.message, error.code);
    return null;
  };
}

async function readManifest(
  artifacts: ArtifactStore,
  body: ImportBody,
  fault: Fault,
): Promise<DatasetManifest | null> {
  const bytes = await readWhole(artifacts, body.manifest_uri).catch(ownFault(fault, '/manifest_uri'));
  if (bytes === null) return null;
  const sha = createHash('sha256').update(bytes).digest('hex');
  if (body.manifest_sha !== null && body.manifest_sha !== sha)
    fault('/manifest_sha', `the manifest's bytes have the SHA-256 ${sha}`);
  const parsed = datasetManifest.safeParse(jsonOf(bytes));
  if (parsed.success) return parsed.data;
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

function compareFigures(manifest: DatasetManifest, body: ImportBody, fault: Fault): void {
  for (const field of ['schema_sha', 'k', 'n_train_rows', 'n_eval_rows'] as const)
    if (manifest[field] !== body[field])
      fault(`/${field}`, `the manifest says ${manifest[field]}, the body ${body[field]}`);
  const pairs = manifest.train_snapshot_pairs;
  if (pairs !== undefined && JSON.stringify(pairs) !== JSON.stringify(body.train_snapshot_pairs))
    fault('/train_snapshot_pairs', `the manifest says ${JSON.stringify(pairs)}`);
}

/** Rows and size of a Parquet file by its footer alone. */
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
