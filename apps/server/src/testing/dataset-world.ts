import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobId } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { Random, toFloat16 } from '@kindred/kernels/arrays';
import { sql } from 'kysely';
import { exportDatasetPayload } from '@kindred/contracts/resources/datasets';
import { Memory } from '../ground/memory.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { exportResearchDataset } from '../evaluate/datasets/export-research-dataset.js';
import { generateEvaluationSet } from '../evaluate/generate-evaluation-set.js';
import type { OperationContext } from '../work/operation/operation.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { addAnnotations, type EvaluationWorld, fillEvaluationWorld, termId } from './evaluation-world.js';
import { inlineCompute } from './inline-compute.js';
import { loadingBench } from './loading-context.js';
import { testDatabase } from './test-database.js';

export interface DatasetWorld extends EvaluationWorld {
  db: Database;
  url: string;
  /** The data folder has the artifacts in its folder `artifacts`. */
  folder: string;
  artifacts: ArtifactStore;
  configId: string;
  trainSetId: string;
  evalSetId: string;
  /** Makes a valid payload of export_research_dataset. */
  payload(changes?: Record<string, unknown>): Record<string, unknown>;
  newJob(): Promise<JobId>;
  /** Claims the job again and runs the export. */
  export(
    jobId: JobId,
    payload: Record<string, unknown>,
    more?: Partial<OperationContext>,
  ): Promise<Record<string, unknown>>;
  context(more?: Partial<OperationContext>): OperationContext;
  close(): Promise<void>;
}

/**
 * Opens the data of the evaluation tests with vectors and a third release: two holdouts, one for training and
 * one for testing.
 */
export async function openDatasetWorld(): Promise<DatasetWorld> {
  const database = await testDatabase();
  const db = openDatabase(database.url, 5);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-dataset-'));
  const artifacts = createLocalArtifacts(join(folder, 'artifacts'));
  const world = await fillEvaluationWorld(db);
  const newestSetId = await addNewestRelease(db, world);
  const configId = await addVectors(db);
  const bench = loadingBench(db, { services: { compute: inlineCompute(), artifacts } });
  const holdout = async (oldId: string, newId: string) => {
    const made = await bench.run(generateEvaluationSet, {
      old_annotation_set_id: oldId,
      new_annotation_set_id: newId,
    });
    return made.evaluation_set_id as string;
  };
  const trainSetId = await holdout(world.oldSetId, world.newSetId);
  const evalSetId = await holdout(world.newSetId, newestSetId);
  const memory = new Memory();
  const context = (more: Partial<OperationContext> = {}) =>
    ({
      db,
      compute: inlineCompute(),
      memory,
      artifacts,
      settings: { cacheDir: folder, goPredictionJsonbWriteEnabled: false, producerVersion: '1.2.3' },
      jobId: randomUUID(),
      signal: new AbortController().signal,
      emit: async () => {},
      progress: async () => {},
      ...more,
    }) as unknown as OperationContext;
  return {
    ...world,
    db,
    url: database.url,
    folder,
    artifacts,
    configId,
    trainSetId,
    evalSetId,
    context,
    payload: (changes = {}) => ({
      name: 'frozen',
      embedding_config_id: configId,
      train_evaluation_set_ids: [trainSetId],
      eval_evaluation_set_id: evalSetId,
      k: 4,
      ...changes,
    }),
    newJob: () => addJob(db),
    async export(jobId, payload, more = {}) {
      await sql`update job set attempts = attempts + 1 where id = ${jobId}`.execute(db);
      const parsed = exportDatasetPayload.parse(payload);
      const outcome = await exportResearchDataset.run(parsed, context({ ...more, jobId }));
      return outcome.result;
    },
    async close() {
      await closeDatabase(db);
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function addJob(db: Database): Promise<JobId> {
  const { id } = await db
    .insertInto('job')
    .values({ operation: 'export_research_dataset', queue_name: 'svc.training', status: 'RUNNING' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id as JobId;
}

async function addNewestRelease(db: Database, world: EvaluationWorld): Promise<string> {
  return inTransaction(db, async (trx) => {
    const id = await addAnnotations(trx, {
      snapshotId: world.snapshotId,
      version: 'newest',
      rows: [
        ['N4', termId(3)],
        ['N4', termId(12)],
        ['X1', termId(5)],
        ['X1', termId(13)],
        ['L1', termId(5)],
        ['K2', termId(3)],
        ['N2', termId(21)],
      ],
    });
    await sql`
      insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code, qualifier)
      select n.number, a.protein_id, a.go_term_id, a.evidence_code, a.qualifier
      from protein_go_annotation a join annotation_set o on o.number = a.annotation_set_number, annotation_set n
      where o.id = ${world.newSetId} and n.id = ${id}`.execute(trx);
    return id;
  });
}

const dimension = 8;

/** Adds a vector for every protein except N3. */
async function addVectors(db: Database): Promise<string> {
  const config = await db
    .insertInto('embedding_config')
    .values({
      ...completeRecipe({ model_name: 'tiny-plm', model_backend: 'test' }),
      dimension,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  const proteins = await db
    .selectFrom('protein')
    .select('sequence_id')
    .where('accession', '!=', 'N3')
    .orderBy('accession')
    .execute();
  const random = new Random(11);
  for (const { sequence_id } of proteins) {
    const { half } = toFloat16(Float32Array.from({ length: dimension }, () => random.normal()));
    const embedding = Buffer.from(half.buffer, half.byteOffset, half.byteLength);
    await db
      .insertInto('sequence_embedding')
      .values({ embedding_config_number: config.number, sequence_id, embedding })
      .execute();
  }
  return config.id;
}
