import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { inTransaction } from '../../store/postgres/db.js';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import { storeEmbeddings } from '../../store/embeddings/embeddings.repository.js';
import { proteinsWithoutVector } from '../../store/embeddings/vector-exchange.repository.js';
import { detectVectorFormat, type VectorFormat, vectorReader } from '../vectors/vector-file.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { SourceSession } from '../../work/operation/source-session.js';
import { VectorMatcher } from './vector-matcher.js';

type Payload = PayloadOf<'import_embeddings'>;
const name = 'import_embeddings';
const maxExamples = 20;

/** Stores vectors computed elsewhere for sequences in the database; each batch is committed separately. */
export const importEmbeddings: Operation<'import_embeddings'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const config = await findConfig(payload, context);
    const { embedding_config_id, vectors_url } = payload;
    await context.emit(`${name}.start`, { embedding_config_id, vectors_url, dimension: config.dimension });
    const folder = join(context.settings.cacheDir, 'imports');
    const path = join(folder, context.jobId);
    await mkdir(folder, { recursive: true });
    try {
      const contentSha256 = await stage(payload, path, context);
      const format = payload.format === 'auto' ? await detectVectorFormat(path) : payload.format;
      await context.emit(`${name}.staged`, { format, content_sha256: contentSha256 });
      const counts = await importFile(path, format, { config, payload, context });
      const missing = await proteinsWithoutVector(context.db, config.number, maxExamples);
      const result = {
        embedding_config_id,
        format,
        ...counts,
        proteins_without_vector: missing.count,
        missing_accessions: missing.examples,
        content_sha256: contentSha256,
        elapsed_seconds: (performance.now() - startMs) / 1000,
      };
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } finally {
      await rm(path, { force: true });
    }
  },
};

async function findConfig(
  { embedding_config_id }: Payload,
  { db }: OperationContext,
): Promise<EmbeddingConfigRow> {
  const config = await findEmbeddingConfig(db, embedding_config_id);
  if (config === undefined) throw absent('embedding configuration', embedding_config_id);
  if (config.use_chunking) {
    throw new ProblemError(
      'conflict',
      `Embedding configuration ${config.id} cuts sequences into chunks; vectors of whole proteins need one with use_chunking false.`,
    );
  }
  return config;
}

/**
 * HDF5, zip and Parquet need random access, so the file must be on disk. The function returns the sha256 of
 * its bytes.
 */
async function stage(payload: Payload, path: string, context: OperationContext): Promise<string> {
  const session = new SourceSession(context, {
    operation: name,
    rowLimit: null,
    headerLines: 0,
    sideUrls: [],
  });
  const stream = await session.context.openStream(payload.vectors_url, {
    timeoutMs: 1000 * payload.timeout_seconds,
  });
  await pipeline(Readable.from(stream.bytes), createWriteStream(path), { signal: context.signal });
  return session.contentSha256;
}

interface Import {
  config: EmbeddingConfigRow;
  payload: Payload;
  context: OperationContext;
}

async function importFile(
  path: string,
  format: VectorFormat,
  { config, payload, context }: Import,
): Promise<Record<string, unknown>> {
  const { db } = context;
  const read = await vectorReader(format);
  const matcher = new VectorMatcher(config, payload.match);
  let inserted = 0;
  let kept = 0;
  for await (const batch of read(path, payload.batch_size)) {
    context.signal.throwIfAborted();
    const rows = await matcher.match(batch, db);
    if (rows.sequenceIds.length > 0) {
      const stored = await inTransaction(db, (trx) =>
        storeEmbeddings(trx, config.number, rows, payload.replace),
      );
      inserted += stored.stored;
      kept += stored.skipped;
    }
    await context.progress(matcher.read, null);
  }
  if (matcher.read === 0) throw new ProblemError('bad_file', `${payload.vectors_url} holds no vector.`);
  await context.progress(matcher.read, matcher.read);
  return { ...matcher.result(), vectors_inserted: inserted, vectors_kept: kept };
}
