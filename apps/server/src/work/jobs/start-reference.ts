import { createHash } from 'node:crypto';
import type { referenceBody } from '@kindred/contracts/resources/references';
import type { z } from 'zod';
import { ProblemError } from '@kindred/contracts';
import { findJob, type JobRow } from '../../store/jobs/jobs.repository.js';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import {
  beginBuild,
  findEqualReference,
  insertReference,
  isVersionTaken,
  lockReferenceName,
  type ReferenceInputs,
  type ReferenceRow,
  waitFor,
} from '../../store/references/references.repository.js';
import type { JobDeps } from './publish.js';
import { enqueueJob, publishCommitted } from './submit.js';

export type ReferenceRequest = z.infer<typeof referenceBody>;

/**
 * Begins to build a reference, or finds the reference of equal sources, which may be complete, being built,
 * or failed; a failed build continues. One transaction writes the row and the jobs.
 * @param checkFiles run before a build is queued, because a complete reference no longer needs its files
 * @returns its id, and whether a build was queued now
 * @throws ProblemError already_exists for a version that other sources have
 */
export async function startReference(
  deps: JobDeps,
  request: ReferenceRequest,
  { ownerUserId, checkFiles }: { ownerUserId: string | null; checkFiles: () => Promise<void> },
): Promise<{ id: string; queued: boolean }> {
  const { id, jobs } = await inTransaction(deps.db, async (trx) => {
    await lockReferenceName(trx, request.name);
    const inputs = inputsOf(request);
    const inputsSha256 = digestOf(request, inputs);
    const equal = await findEqualReference(trx, request.name, inputsSha256);
    const isSame = equal !== undefined && (request.version ?? equal.version) === equal.version;
    const row = isSame ? equal : await newReference(trx, request, { inputs, inputsSha256 });
    if (isSame && (row.status === 'complete' || (await isRunning(trx, row)))) return { id: row.id, jobs: [] };
    await checkFiles();
    return { id: row.id, jobs: await enqueueBuild(trx, row, { request, inputs, ownerUserId }) };
  });
  await publishCommitted(deps, jobs);
  return { id, queued: jobs.length > 0 };
}

function inputsOf(request: ReferenceRequest): ReferenceInputs {
  const { ontology, proteins, annotations, taxonomy, interpro_mapping, taxon_constraints, vectors } = request;
  return { ontology, proteins, annotations, taxonomy, interpro_mapping, taxon_constraints, vectors };
}

/**
 * Computes the digest of what makes two requests equal: the addresses of the sources (for sent files the
 * SHA-256) and the choices, but not names or descriptions.
 */
function digestOf(request: ReferenceRequest, inputs: ReferenceInputs): string {
  const addresses = JSON.stringify(inputs, (key, value: unknown) =>
    ['file_name', 'origin', 'licence', 'citation'].includes(key) ? undefined : value,
  );
  const { ontology_snapshot_id, evidence, embedding_config_ids } = request;
  const text = JSON.stringify([addresses, ontology_snapshot_id ?? null, evidence, embedding_config_ids]);
  return createHash('sha256').update(text).digest('hex');
}

async function newReference(
  trx: Transaction,
  request: ReferenceRequest,
  { inputs, inputsSha256 }: { inputs: ReferenceInputs; inputsSha256: string },
): Promise<ReferenceRow> {
  const { name, version: asked, evidence, embedding_config_ids } = request;
  if (asked !== undefined && (await isVersionTaken(trx, name, asked))) {
    throw new ProblemError(
      'already_exists',
      `${name}@${asked} exists with other sources. Give another version, or remove that one first.`,
    );
  }
  return insertReference(
    trx,
    {
      name,
      version: asked ?? (await freeVersion(trx, name)),
      evidence,
      inputs: JSON.stringify(inputs),
      inputs_sha256: inputsSha256,
      ontology_snapshot_id: request.ontology_snapshot_id ?? null,
      make_default: request.make_default ?? false,
    },
    embedding_config_ids,
  );
}

/** The version is the day; later versions of the same day get a number. */
async function freeVersion(trx: Transaction, name: string): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  for (let n = 1; ; n++) {
    const version = n === 1 ? day : `${day}.${n}`;
    if (!(await isVersionTaken(trx, name, version))) return version;
  }
}

async function isRunning(trx: Transaction, row: ReferenceRow): Promise<boolean> {
  if (row.status !== 'building' || row.job_id === null) return false;
  const job = await findJob(trx, row.job_id);
  return job?.status === 'QUEUED' || job?.status === 'RUNNING';
}

const embeddingSteps = ['compute_embeddings', 'import_embeddings'];

/**
 * The last step is the parent of the others. A job can wait for only one other, so each waits for the longest
 * that it needs and looks for the rest when it starts. Annotations and vectors need the proteins; the end
 * needs all, and vectors take longest.
 */
async function enqueueBuild(
  trx: Transaction,
  row: ReferenceRow,
  build: { request: ReferenceRequest; inputs: ReferenceInputs; ownerUserId: string | null },
): Promise<JobRow[]> {
  const { request, inputs, ownerUserId } = build;
  const own = { reference_id: row.id };
  const description = `Reference ${row.name}@${row.version}`;
  const end = await enqueueJob(trx, {
    operation: 'build_reference',
    queueName: 'svc.jobs',
    payload: own,
    description,
    ownerUserId,
  });
  const step = (operation: string, payload: Record<string, unknown>, waitsForJobId: string | null = null) =>
    enqueueJob(trx, {
      operation,
      queueName: embeddingSteps.includes(operation) ? 'svc.embeddings' : 'svc.jobs',
      payload,
      parentJobId: end.id,
      waitsForJobId,
      description,
      ownerUserId,
      meta: own,
    });
  const jobs = [await step('load_reference_proteins', own)];
  const [proteins] = jobs;
  if (inputs.ontology !== undefined)
    jobs.push(await step('load_ontology_snapshot', { obo_url: inputs.ontology.url }));
  if (inputs.taxonomy !== undefined) jobs.push(await step('load_taxonomy', taxonomyPayload(inputs)));
  if (inputs.interpro_mapping !== undefined) {
    const mapping = {
      mapping_url: inputs.interpro_mapping.url,
      source_version: `${row.name}@${row.version}`,
    };
    jobs.push(await step('load_interpro_go_mapping', mapping));
  }
  jobs.push(await step('load_taxon_constraints', constraintsPayload(row, inputs)));
  jobs.push(await step('load_reference_annotations', own, proteins.id));
  const vectors: JobRow[] = [];
  const [imported, ...computed] = request.embedding_config_ids;
  for (const { url: vectors_url } of inputs.vectors ?? [])
    vectors.push(
      await step('import_embeddings', { embedding_config_id: imported, vectors_url }, proteins.id),
    );
  for (const embedding_config_id of inputs.vectors === undefined ? [imported, ...computed] : computed)
    vectors.push(await step('compute_embeddings', { embedding_config_id, ...own }, proteins.id));
  // The reference is complete without the measurement, and stays complete if the measurement fails.
  jobs.push(await step('measure_reference', own, end.id));
  await waitFor(trx, end.id, (vectors.at(-1) as JobRow).id);
  await beginBuild(trx, row.id, end.id);
  return jobs;
}

function constraintsPayload({ name, version }: ReferenceRow, { taxon_constraints: from }: ReferenceInputs) {
  if (from === undefined) return {};
  return {
    source_version: `${name}@${version}`,
    only_in_url: from.only_in.url,
    never_in_url: from.never_in.url,
    unions_url: from.unions.url,
  };
}

function taxonomyPayload({ taxonomy = {} }: ReferenceInputs): Record<string, string> {
  const files = Object.entries(taxonomy).filter(([, source]) => source !== undefined);
  return Object.fromEntries(files.map(([file, source]) => [`${file}_url`, source?.url as string]));
}
