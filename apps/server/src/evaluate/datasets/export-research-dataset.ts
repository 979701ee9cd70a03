import { ProblemError } from '@kindred/contracts';
import { featureSchemaSha } from '@kindred/kernels/features';
import { axisTupleId } from '@kindred/kernels/identity';
import {
  type DatasetRow,
  datasetOfJob,
  findDataset,
  insertDataset,
} from '../../store/records/datasets.repository.js';
import { findJob } from '../../store/jobs/jobs.repository.js';
import { datasetColumns } from './dataset-columns.js';
import { axisOf, datasetManifestText, type ExportedFile } from './dataset-manifest.js';
import { type ExportPayload, type ExportPlan, planExport, type SnapshotPair } from './dataset-plan.js';
import { datasetGroups, type ExportSteps, type PairCounts } from './dataset-rows.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { parquetBytes, type ParquetGroup } from '../../ground/parquet-stream.js';

const fileNames = ['train.parquet', 'eval.parquet', 'manifest.json'] as const;

/**
 * Publishes a frozen training dataset. The three files are written under a prefix of this attempt. The row
 * that names them is written last and makes them visible together. A killed attempt leaves unnamed objects,
 * which the next attempt deletes.
 */
export const exportResearchDataset: Operation<'export_research_dataset'> = {
  name: 'export_research_dataset',
  async run(payload, context) {
    const done = await datasetOfJob(context.db, context.jobId);
    if (done !== undefined) return { kind: 'done', result: resultOf(done, context) };
    await requireFreeName(payload.name, context);
    const plan = await planExport(payload, context);
    const prefix = await freshPrefix(context);
    try {
      const row = await publish({ payload, plan, prefix }, context);
      await context.emit('export_research_dataset.registered', { dataset_id: row.id, name: row.name });
      return { kind: 'done', result: resultOf(row, context) };
    } catch (error) {
      // The insert may have committed although its response was lost. So the files are deleted only if the
      // database confirms that no row names them; otherwise the next attempt deletes them.
      const registered = await datasetOfJob(context.db, context.jobId).catch(() => 'unknown' as const);
      if (registered === undefined) await removeFiles(prefix, context);
      throw error;
    }
  },
};

interface Export {
  payload: ExportPayload;
  plan: ExportPlan;
  prefix: string;
}

async function publish(job: Export, context: OperationContext): Promise<DatasetRow> {
  const { payload, plan, prefix } = job;
  const { artifacts, signal, settings, jobId } = context;
  const counts = new Map<string, PairCounts>();
  const steps = stepsOf(job, counts, context);
  await context.emit('export_research_dataset.start', {
    name: payload.name,
    train_snapshot_pairs: plan.train.map((pair) => pair.name),
    eval_snapshot_pair: plan.eval.name,
    backend: artifacts.backend,
  });
  const train = await writeFile(job, { name: 'train.parquet', pairs: plan.train }, steps, context);
  const held = await writeFile(job, { name: 'eval.parquet', pairs: [plan.eval] }, steps, context);
  const files = { train, eval: held };
  const producerVersion = settings.producerVersion;
  const text = datasetManifestText({ datasetId: jobId, payload, plan, files, counts, producerVersion });
  const manifest = await artifacts.put(`${prefix}/manifest.json`, Buffer.from(text), { signal });
  await context.emit('export_research_dataset.published', {
    backend: artifacts.backend,
    key_prefix: prefix,
    files: fileNames,
    manifest_sha: manifest.sha256,
  });
  signal.throwIfAborted();
  return register(job, { train, eval: held, manifest }, context);
}

async function register(
  { payload, plan, prefix }: Export,
  files: { train: ExportedFile; eval: ExportedFile; manifest: { uri: string; sha256: string } },
  { db, jobId, artifacts, settings }: OperationContext,
): Promise<DatasetRow> {
  const axis = axisOf(plan);
  const row = await insertDataset(db, {
    id: jobId,
    name: payload.name,
    job_id: jobId,
    storage_backend: artifacts.backend,
    key_prefix: prefix,
    train_uri: files.train.uri,
    eval_uri: files.eval.uri,
    manifest_uri: files.manifest.uri,
    schema_sha: featureSchemaSha,
    manifest_sha: files.manifest.sha256,
    train_row_count: files.train.rows,
    eval_row_count: files.eval.rows,
    k: payload.k,
    annotation_source: plan.eval.oldSet.source,
    embedding_config_id: plan.config.id,
    ontology_snapshot_id: plan.ontology.id,
    train_snapshot_pairs: plan.train.map((pair) => pair.name),
    eval_snapshot_pair: plan.eval.name,
    producer_version: settings.producerVersion,
    producer_git_sha: null,
    meta: { axis_tuple: axis, axis_id: axisTupleId(axis) },
  });
  if (row === null) throw nameTaken(payload.name);
  return row;
}

/** Streams the rows into the artifact store, group by group. */
async function writeFile(
  { prefix }: Export,
  file: { name: (typeof fileNames)[number]; pairs: readonly SnapshotPair[] },
  steps: { plan: ExportPlan; steps: ExportSteps },
  context: OperationContext,
): Promise<ExportedFile> {
  let rows = 0;
  async function* counted(groups: AsyncIterable<ParquetGroup>) {
    for await (const group of groups) {
      rows += group.rowCount;
      yield group;
    }
  }
  const groups = counted(datasetGroups(steps.plan, file.pairs, steps.steps, context));
  const createdBy = `kindred version ${context.settings.producerVersion}`;
  const bytes = parquetBytes(datasetColumns, groups, createdBy);
  const stored = await context.artifacts.put(`${prefix}/${file.name}`, bytes, { signal: context.signal });
  return { ...stored, rows };
}

function stepsOf(
  { payload, plan }: Export,
  counts: Map<string, PairCounts>,
  context: OperationContext,
): { plan: ExportPlan; steps: ExportSteps } {
  const total = [...plan.train, plan.eval].reduce((sum, pair) => sum + pair.proteins.length, 0);
  let done = 0;
  return {
    plan,
    steps: {
      batchSize: payload.batch_size,
      async onPair(pair, found) {
        const fields = { snapshot_pair: pair.name, evaluation_set_id: pair.evaluationSet.id };
        if (found === null) {
          await context.emit('export_research_dataset.split_start', {
            ...fields,
            proteins: pair.proteins.length,
            proteins_without_vector: pair.withoutVector,
          });
          return;
        }
        counts.set(pair.evaluationSet.id, found);
        await context.emit('export_research_dataset.split_done', { ...fields, ...found });
      },
      async onProteins(count) {
        done += count;
        await context.progress(done, total);
      },
    },
  };
}

async function requireFreeName(name: string, { db }: OperationContext): Promise<void> {
  if ((await findDataset(db, name)) !== undefined) throw nameTaken(name);
}

function nameTaken(name: string): ProblemError {
  return new ProblemError(
    'already_exists',
    `A dataset named ${JSON.stringify(name)} exists. Export under another name; a dataset is never changed.`,
  );
}

/**
 * The claims of the job number its attempts, so the leftovers of earlier attempts can be found by their
 * numbers.
 */
async function freshPrefix(context: OperationContext): Promise<string> {
  const attempt = (await findJob(context.db, context.jobId))?.attempts ?? 1;
  for (let earlier = 1; earlier < attempt; earlier++)
    await removeFiles(prefixOf(context.jobId, earlier), context);
  return prefixOf(context.jobId, attempt);
}

const prefixOf = (jobId: string, attempt: number) => `datasets/${jobId}/${attempt}`;

/** A file that cannot be deleted is left, because nothing refers to it. */
async function removeFiles(prefix: string, { artifacts }: OperationContext): Promise<void> {
  for (const name of fileNames)
    await artifacts.delete(artifacts.uriOf(`${prefix}/${name}`)).catch(() => undefined);
}

function resultOf(row: DatasetRow, { artifacts }: OperationContext): Record<string, unknown> {
  const addressOf = (uri: string | null) => uri && artifacts.addressOf(uri);
  return {
    dataset_id: row.id,
    name: row.name,
    storage_backend: row.storage_backend,
    key_prefix: row.key_prefix,
    train_uri: addressOf(row.train_uri),
    eval_uri: addressOf(row.eval_uri),
    manifest_uri: addressOf(row.manifest_uri),
    manifest_sha: row.manifest_sha,
    schema_sha: row.schema_sha,
    n_train_rows: row.train_row_count,
    n_eval_rows: row.eval_row_count,
    train_snapshot_pairs: row.train_snapshot_pairs,
    eval_snapshot_pair: row.eval_snapshot_pair,
  };
}
