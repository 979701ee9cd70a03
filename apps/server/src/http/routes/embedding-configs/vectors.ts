import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ProblemError } from '@kindred/contracts';
import { fromFloat16 } from '@kindred/kernels/arrays';
import { embeddingConfigRoutes } from '@kindred/contracts/resources/embedding-configs';
import type { Queryable } from '../../../store/postgres/db.js';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../../store/embeddings/embedding-configs.repository.js';
import {
  type VectorOwner,
  vectorOwners,
  wholeVectors,
} from '../../../store/embeddings/vector-exchange.repository.js';
import { csvLines } from '../../../predict/vectors/csv.js';
import type { KeyedVector } from '../../../predict/vectors/keyed-vector.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';

const rowsPerPage = 500;
/** Each vector takes an accession and an id in memory, about 200 MB for all. */
const maxVectors = 1_000_000;

/**
 * Binary bodies have this type: OpenAPI describes bytes as a string, because it has no other word for them.
 * Streams are sent as they are.
 */
type BinaryBody = never;

export function vectorDownload(api: Api, { db }: RouteDeps): void {
  serve(api, embeddingConfigRoutes.vectors, async (request, reply) => {
    const { id } = request.params;
    const { format, key } = request.query;
    const config = await findEmbeddingConfig(db, id);
    if (config === undefined) throw absent('embedding configuration', id);
    const owners = await ownersOf(db, config, key);
    const pages = vectorPages(db, config, { owners, key });
    if (format === 'csv') {
      const filename = `vectors_${id}.csv`;
      return sendChunks(request, reply, csvLines(pages), {
        contentType: 'text/csv; charset=utf-8',
        filename,
      });
    }
    reply.type('application/octet-stream');
    reply.header(
      'content-disposition',
      `attachment; filename="vectors_${id}.${format === 'hdf5' ? 'h5' : format}"`,
    );
    if (format === 'npz') {
      const { npzStream } = await import('../../../predict/vectors/npz-write.js');
      const keys = owners.map((owner) => keyOf(owner, key));
      return reply.send(npzStream(keys, config.dimension, pages) as BinaryBody);
    }
    const write =
      format === 'parquet'
        ? (await import('../../../predict/vectors/parquet.js')).writeParquet
        : (await import('../../../predict/vectors/hdf5.js')).writeHdf5;
    const { stream, sizeBytes } = await madeFile((path) => write(path, pages));
    return reply.header('content-length', sizeBytes).send(stream as BinaryBody);
  });
}

async function ownersOf(
  db: Queryable,
  config: EmbeddingConfigRow,
  key: 'accession' | 'md5',
): Promise<VectorOwner[]> {
  const owners = await vectorOwners(db, config.number, maxVectors + 1);
  if (owners.length > maxVectors) {
    throw new ProblemError(
      'payload_too_large',
      `The configuration has more than ${maxVectors} vectors, too many for one download; read them from the database.`,
    );
  }
  if (key === 'accession') return owners;
  return [...new Map(owners.map((owner) => [owner.sequence_id, owner])).values()];
}

const keyOf = (owner: VectorOwner, key: 'accession' | 'md5') =>
  key === 'accession' ? owner.accession : owner.sequence_md5;

/**
 * A vector that was deleted meanwhile aborts the download, because a file without its row would look
 * complete.
 */
async function* vectorPages(
  db: Queryable,
  config: EmbeddingConfigRow,
  { owners, key }: { owners: readonly VectorOwner[]; key: 'accession' | 'md5' },
): AsyncGenerator<KeyedVector[]> {
  for (let start = 0; start < owners.length; start += rowsPerPage) {
    const page = owners.slice(start, start + rowsPerPage);
    const ids = [...new Set(page.map((owner) => owner.sequence_id))];
    const vectors = await wholeVectors(db, config.number, ids);
    yield page.map((owner) => {
      const bytes = vectors.get(owner.sequence_id);
      if (bytes === undefined) throw new Error(`the vector of ${owner.accession} was deleted meanwhile`);
      const half = new Uint16Array(Uint8Array.from(bytes).buffer);
      return {
        key: keyOf(owner, key),
        name: key === 'md5' ? owner.accession : null,
        vector: fromFloat16(half),
      };
    });
  }
}

/**
 * The prefix begins the names of the folders, and the process id follows: the next start deletes what a
 * killed process left.
 */
export const vectorFilesPrefix = 'kindred-vectors-';

/**
 * Makes a file whose format has a footer that points back, in a temporary folder that is deleted after
 * sending.
 */
async function madeFile(
  write: (path: string) => Promise<void>,
): Promise<{ stream: Readable; sizeBytes: number }> {
  const folder = await mkdtemp(join(tmpdir(), `${vectorFilesPrefix}${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'vectors');
    await write(path);
    const { size } = await stat(path);
    const stream = createReadStream(path);
    stream.on('close', () => void remove());
    return { stream, sizeBytes: size };
  } catch (error) {
    await remove();
    throw error;
  }
}
