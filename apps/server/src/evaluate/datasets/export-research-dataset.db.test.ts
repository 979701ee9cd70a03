import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { featureNames, featureSchemaSha, numericFeatures, schemaSha } from '@kindred/kernels/features';
import { axisTupleId } from '@kindred/kernels/identity';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasetManifest } from '@kindred/contracts/resources/datasets';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { createS3Artifacts } from '../../ground/artifacts/s3.js';
import { startS3 } from '../../testing/artifacts/s3-server.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { findDataset } from '../../store/records/datasets.repository.js';
import { inTransaction } from '../../store/postgres/connection.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { featuresOfProteins } from '../../store/predictions/prediction-features.repository.js';
import { storePredictions } from '../../store/predictions/prediction-writer.js';
import { queriesWithVectors } from '../../store/proteins/queries.repository.js';
import { type DatasetWorld, openDatasetWorld } from '../../testing/dataset-world.js';
import { termId } from '../../testing/evaluation-world.js';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { predictColumns } from '../../predict/predict-columns.js';
import { packPredictions, unpackPredictions } from '../../predict/prediction-frame.js';

type Row = Record<string, string | number | boolean | null>;
let world: DatasetWorld;
let folder: string;
let duckdb: DuckDBInstance;
beforeAll(async () => {
  world = await openDatasetWorld();
  folder = await mkdtemp(join(tmpdir(), 'kindred-export-'));
  duckdb = await DuckDBInstance.create(':memory:');
});
afterAll(async () => {
  duckdb?.closeSync();
  await world?.close();
  await rm(folder, { recursive: true });
});

async function bytesOf(uri: string, store: ArtifactStore = world.artifacts): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(uri)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
let files = 0;
async function rowsOf(bytes: Buffer): Promise<Row[]> {
  const path = join(folder, `${files++}.parquet`);
  await writeFile(path, bytes);
  const connection = await duckdb.connect();
  try {
    return (await connection.runAndReadAll(`select * from '${path}'`)).getRowObjectsJS() as Row[];
  } finally {
    connection.closeSync();
  }
}
interface Published {
  result: Record<string, unknown>;
  train: Row[];
  eval: Row[];
  manifest: Record<string, any>; // biome-ignore lint/suspicious/noExplicitAny: read member by member
  manifestBytes: Buffer;
}
async function published(changes: Record<string, unknown>, anc2vecFile?: string): Promise<Published> {
  const settings = { ...world.context().settings, anc2vecFile };
  const result = await world.export(await world.newJob(), world.payload(changes), { settings });
  const manifestBytes = await bytesOf(result.manifest_uri as string);
  return {
    result,
    train: await rowsOf(await bytesOf(result.train_uri as string)),
    eval: await rowsOf(await bytesOf(result.eval_uri as string)),
    manifest: JSON.parse(String(manifestBytes)),
    manifestBytes,
  };
}

describe('a published dataset', () => {
  let all: Published;
  beforeAll(async () => {
    all = await published({ name: 'first', compute_alignments: true });
  });

  it('labels the terms that were gained, and leaves out what was known or says nothing', () => {
    const labels = new Map(all.train.map((row) => [`${row.protein_accession} ${row.go_id}`, row]));
    // K1 had term 2 of its function and gained 3; K3 had process 11 and gained 12.
    expect(labels.has(`K1 ${termId(2)}`)).toBe(false);
    for (const row of all.train) {
      const truth: Record<string, string[]> = {
        N1: [3, 2, 12, 11].map(termId),
        N2: [12, 11].map(termId),
        L1: [12, 11].map(termId),
        L2: [3, 2, 21].map(termId),
        K1: [3, 13].map(termId),
        K2: [5, 2].map(termId),
        K3: [12].map(termId),
      };
      const gained = truth[row.protein_accession as string]?.includes(row.go_id as string) ?? false;
      expect([row.protein_accession, row.go_id, row.label]).toEqual([
        row.protein_accession,
        row.go_id,
        Number(gained),
      ]);
    }
    expect(all.train.some((row) => row.label === 1)).toBe(true);
    expect(all.train.some((row) => row.label === 0)).toBe(true);
    expect(new Set(all.train.map((row) => row.protein_accession)).has('N3')).toBe(false);
    const category: Record<string, string> = { N: 'nk' };
    for (const row of all.train) {
      const first = (row.protein_accession as string)[0];
      if (first in category) expect(row.category).toBe(category[first]);
      expect(row.snapshot_pair).toBe('old-new');
    }
    expect(new Set(all.eval.map((row) => row.snapshot_pair))).toEqual(new Set(['new-newest']));
  });

  it('has, in every row, the features that the service stores for such a prediction', async () => {
    const { db, configId, oldSetId, snapshotId } = world;
    const config = await findEmbeddingConfig(db, configId);
    const set = await findAnnotationSet(db, oldSetId);
    if (config === undefined || set === undefined) throw new Error('the world is incomplete');
    const accessions = [...new Set(all.train.map((row) => row.protein_accession as string))];
    const queries = await queriesWithVectors(db, { kind: 'accessions', accessions }, [config.number]);
    const context = world.context();
    const bank = await ensureReferenceBank(context, context.settings.cacheDir, { config, set });
    const columns = await predictColumns(
      { queries, bank, config, snapshotId },
      {
        metric: 'cosine',
        k: 4,
        distanceThreshold: null,
        includeSelf: false,
        aspectSeparated: true,
        alignments: true,
        taxonomySha256: null,
        rerankerFeatures: true,
        runner: null,
        graph: null,
        merging: null,
        termVectorsSha256: null,
      },
      context,
    );
    // A query without an answer, and so without columns, is stored with the others.
    const unanswered = { ...queries[0], accession: 'too short', no_answer: 'too_short' as const };
    const about = { setNumber: 900, queries: [...queries, unanswered], bank, jsonb: false };
    const batch = unpackPredictions(packPredictions(columns, about));
    await inTransaction(db, (trx) => storePredictions(trx, batch));
    const stored = await featuresOfProteins(db, 900, accessions);
    const placeOf = new Map(
      stored.accessions.map((accession, at) => [`${accession} ${stored.goIds[at]}`, at]),
    );
    expect(all.train.length).toBeGreaterThan(10);
    for (const row of all.train) {
      const at = placeOf.get(`${row.protein_accession} ${row.go_id}`) as number;
      expect(row.ref_protein_accession).toBe(stored.references[at]);
      for (const name of featureNames) {
        const value = row[name] === null ? null : row[name];
        const expected = numericFeatures.includes(name)
          ? stored.numbers[name][at]
          : stored.categories[name][at];
        expect([name, value === null ? value : typeof value === 'boolean' ? Number(value) : value]).toEqual([
          name,
          Number.isNaN(expected) ? null : expected,
        ]);
      }
    }
  });

  it('says in its manifest everything that it depends on', async () => {
    const { manifest, manifestBytes, result } = all;
    expect(datasetManifest.parse(manifest)).toMatchObject({ schema_version: 2, name: 'first', k: 4 });
    expect(manifest).toMatchObject({
      n_train_rows: all.train.length,
      n_eval_rows: all.eval.length,
      train_snapshot_pairs: ['old-new'],
      eval_snapshot_pair: 'new-newest',
      producer_version: '1.2.3',
      schema_sha: featureSchemaSha,
      parameters: { k: 4, metric: 'cosine', compute_alignments: true, include_self: false },
      embedding: { model_name: 'tiny-plm', pooling: 'mean', dimension: 8 },
      ontology: { obo_version: 'releases/2025-01-01', sha256: '0'.repeat(64) },
    });
    const features = manifest.columns.filter((column: { role: string }) => column.role === 'feature');
    expect(schemaSha(features.map((column: { name: string }) => column.name))).toBe(manifest.schema_sha);
    const [train, held] = manifest.pairs;
    expect([train.split, train.rows, held.split, held.rows]).toEqual([
      'train',
      all.train.length,
      'eval',
      all.eval.length,
    ]);
    expect(train).toMatchObject({
      evaluation_set_id: world.trainSetId,
      old_annotations: { id: world.oldSetId, version: 'old' },
      proteins_without_vector: 1,
    });
    expect(manifest.axis_id).toBe(axisTupleId(manifest.axis_tuple));
    for (const part of ['train', 'eval'] as const) {
      const bytes = await bytesOf(result[`${part}_uri`] as string);
      expect(manifest.files[part]).toMatchObject({ sha256: sha256(bytes), size_bytes: bytes.length });
    }
    expect(result.manifest_sha).toBe(sha256(manifestBytes));
    const empty = manifest.columns.filter((column: { filled: boolean }) => !column.filled);
    const emptyNames = empty.map((column: { name: string }) => column.name);
    expect(emptyNames).toEqual(expect.arrayContaining(['taxonomic_relation', 'anc2vec_has_emb']));
    expect(manifest.anc2vec_sha256).toBeNull();
    for (const { name } of empty) expect(all.train.every((row) => row[name] === null)).toBe(true);
  });

  it('compares terms by the vectors of the configured file, which the manifest names', async () => {
    const file = join(folder, 'anc2vec.csv');
    const text = `${termId(11)},1,0\n${termId(13)},3,4\n`;
    await writeFile(file, text);
    const { manifest, train } = await published({ name: 'compared' }, file);
    expect(manifest.anc2vec_sha256).toBe(sha256(Buffer.from(text)));
    const filled = new Map(
      manifest.columns.map((column: { name: string; filled: boolean }) => [column.name, column.filled]),
    );
    expect(filled.get('anc2vec_has_emb')).toBe(true);
    expect(train.map((row) => row.anc2vec_has_emb)).toEqual(
      train.map((row) => [termId(11), termId(13)].includes(row.go_id as string)),
    );
    const compared = train.filter((row) => row.anc2vec_neighbor_cos !== null);
    expect(compared.length).toBeGreaterThan(0);
    for (const row of compared) expect(row.anc2vec_neighbor_cos).toBeCloseTo(0.6, 6);
    const without = train.filter((row) => row.anc2vec_has_emb === false);
    expect(without.length).toBeGreaterThan(0);
    for (const row of without) expect(row.anc2vec_neighbor_maxcos).toBeNull();
  });

  it('is not begun with a file that can not be used', async () => {
    const file = join(folder, 'broken.csv');
    await writeFile(file, `${termId(2)},1,0\n${termId(3)},3\n`);
    await expect(published({ name: 'broken' }, file)).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(/broken\.csv \(SVC_ANC2VEC_FILE\).*has 1 numbers where the first/),
    });
  });

  it('has the same bytes whatever the size of the batches', async () => {
    const other = await published({ name: 'second', compute_alignments: true, batch_size: 2 });
    for (const part of ['train_uri', 'eval_uri'])
      expect(sha256(await bytesOf(other.result[part] as string))).toBe(
        sha256(await bytesOf(all.result[part] as string)),
      );
    expect(other.train).toEqual(all.train);
  });

  it('is a row that lists it, and a name that is taken', async () => {
    const row = await findDataset(world.db, 'first');
    expect(row).toMatchObject({
      id: all.result.dataset_id,
      train_row_count: all.train.length,
      k: 4,
      embedding_config_id: world.configId,
      ontology_snapshot_id: world.snapshotId,
    });
    await expect(world.export(await world.newJob(), world.payload({ name: 'first' }))).rejects.toMatchObject({
      code: 'already_exists',
    });
  });
});

/** The error stops the export at the given point as a killed process would, without cleanup. */
class Killed extends Error {}
function killingAt(stage: string): { artifacts: ArtifactStore; emit: (event: string) => Promise<void> } {
  const inner = world.artifacts;
  let dead = false;
  const die = () => {
    dead = true;
    throw new Killed(stage);
  };
  const artifacts: ArtifactStore = {
    ...inner,
    async put(key, bytes, options) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (stage === `before ${name}`) die();
      if (stage === `within ${name}` && !(bytes instanceof Uint8Array)) {
        const part = (async function* () {
          for await (const chunk of bytes) {
            yield chunk;
            die();
          }
        })();
        return inner.put(key, part, options);
      }
      const stored = await inner.put(key, bytes, options);
      if (stage === `after ${name}`) die();
      return stored;
    },
    delete: async (uri) => (dead ? undefined : inner.delete(uri)),
  };
  const emit = async (event: string) => {
    if (stage === event) die();
  };
  return { artifacts, emit };
}

describe('an export that is killed', () => {
  const stages = ['train.parquet', 'eval.parquet', 'manifest.json'].flatMap((name) =>
    name === 'manifest.json'
      ? [`before ${name}`, `after ${name}`]
      : [`before ${name}`, `within ${name}`, `after ${name}`],
  );
  const events = ['start', 'split_start', 'split_done', 'published'].map(
    (name) => `export_research_dataset.${name}`,
  );

  it.each([...stages, ...events])(
    '%s leaves nothing to see, and the same job then succeeds',
    async (stage) => {
      const name = `killed ${stage}`;
      const jobId = await world.newJob();
      await expect(world.export(jobId, world.payload({ name }), killingAt(stage))).rejects.toThrow(Killed);
      expect(await findDataset(world.db, name)).toBeUndefined();
      const result = await world.export(jobId, world.payload({ name }));
      expect(result.dataset_id).toBe(jobId);
      expect((await rowsOf(await bytesOf(result.train_uri as string))).length).toBe(result.n_train_rows);
      const left = world.artifacts.uriOf(`datasets/${jobId}/1/train.parquet`);
      expect(await world.artifacts.size(left)).toBeNull();
    },
  );

  it('after the row was written is done: the same job answers with it', async () => {
    const jobId = await world.newJob();
    const payload = world.payload({ name: 'registered' });
    await expect(
      world.export(jobId, payload, killingAt('export_research_dataset.registered')),
    ).rejects.toThrow(Killed);
    const row = await findDataset(world.db, 'registered');
    const result = await world.export(jobId, payload);
    expect(result).toMatchObject({ dataset_id: row?.id, manifest_sha: row?.manifest_sha });
    expect(await world.artifacts.size(row?.manifest_uri as string)).toBeGreaterThan(0);
  });

  it('leaves no file behind when it fails for a reason of its own', async () => {
    const jobId = await world.newJob();
    const { artifacts } = world;
    const failing: ArtifactStore = {
      ...artifacts,
      put: async (key, bytes, options) => {
        if (key.endsWith('manifest.json')) throw new Error('the disk is full');
        return artifacts.put(key, bytes, options);
      },
    };
    await expect(
      world.export(jobId, world.payload({ name: 'full' }), { artifacts: failing }),
    ).rejects.toThrow('the disk is full');
    for (const name of ['train.parquet', 'eval.parquet'])
      expect(await artifacts.size(artifacts.uriOf(`datasets/${jobId}/1/${name}`))).toBeNull();
  });

  it('that is cancelled stops', async () => {
    const stop = new AbortController();
    const emit = async (event: string) => {
      if (event.endsWith('split_done')) stop.abort(new Error('cancelled'));
    };
    const more = { signal: stop.signal, emit };
    const jobId = await world.newJob();
    await expect(world.export(jobId, world.payload({ name: 'cancelled' }), more)).rejects.toThrow(
      'cancelled',
    );
    expect(await findDataset(world.db, 'cancelled')).toBeUndefined();
  });
});

describe('what can not be exported', () => {
  it('is refused with what to do', async () => {
    const absent = '00000000-0000-4000-8000-000000000000';
    const refused = async (changes: Record<string, unknown>) =>
      world.export(await world.newJob(), world.payload({ name: 'refused', ...changes }));
    await expect(refused({ eval_evaluation_set_id: absent })).rejects.toMatchObject({ code: 'not_found' });
    await expect(refused({ compute_taxonomy: true })).rejects.toThrow(/load_taxonomy/);
    await expect(refused({ eval_evaluation_set_id: world.trainSetId })).rejects.toThrow(
      /judged by what it was trained on/,
    );
    const bare = await sql<{ id: string }>`
      insert into embedding_config (model_name, model_backend, layer_indices, layer_agg, pooling, normalize_residues,
        normalize, max_length, use_chunking, chunk_size, chunk_overlap, dimension)
      select 'other', model_backend, layer_indices, layer_agg, pooling, normalize_residues, normalize, max_length,
        use_chunking, chunk_size, chunk_overlap, dimension from embedding_config limit 1 returning id`.execute(
      world.db,
    );
    await expect(refused({ embedding_config_id: bare.rows[0].id })).rejects.toThrow(/compute_embeddings/);
  });
});

it('publishes to S3 as to a folder', async () => {
  const s3 = await startS3();
  try {
    const place = { bucket: s3.bucket, prefix: 'lab', endpoint: s3.endpoint, region: null };
    const store = createS3Artifacts(place);
    const jobId = await world.newJob();
    const result = await world.export(jobId, world.payload({ name: 'in S3' }), { artifacts: store });
    expect(result.train_uri).toBe(`s3://${s3.bucket}/lab/datasets/${jobId}/1/train.parquet`);
    const rows = await rowsOf(await bytesOf(result.train_uri as string, store));
    expect(rows).toHaveLength(result.n_train_rows as number);
  } finally {
    await s3.close();
  }
});
