import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { readNpy } from './npy.js';
import { badVectorFile, checkOneVector, type KeyedVector } from './keyed-vector.js';

const maxArrayBytes = 2 ** 31;
const idNames = ['ids', 'accessions', 'keys', 'go_ids'];
const vectorNames = ['vectors', 'embeddings'];

/**
 * Reads vectors of an .npz: one array per protein under its accession, or two arrays, `ids` (or `accessions`,
 * `keys`, `go_ids`) and `vectors` (or `embeddings`, [n x d]).
 * @throws ProblemError bad_file
 */
export async function* readNpz(path: string, batchSize: number): AsyncGenerator<KeyedVector[]> {
  const zip = await openZip(path);
  try {
    const entries = await entriesOf(zip);
    const find = (names: readonly string[]) =>
      names
        .map((name) => entries.find((entry) => nameOf(entry) === name))
        .find((entry) => entry !== undefined);
    const ids = find(idNames);
    const table = find(vectorNames);
    if (ids !== undefined && table !== undefined) yield* tableOf(zip, { ids, table }, batchSize);
    else yield* perProtein(zip, entries, batchSize);
  } finally {
    zip.close();
  }
}

async function* tableOf(
  zip: ZipFile,
  { ids, table }: { ids: Entry; table: Entry },
  batchSize: number,
): AsyncGenerator<KeyedVector[]> {
  const keys = readNpy(await bytesOf(zip, ids), ids.fileName).values;
  const { shape, values } = readNpy(await bytesOf(zip, table), table.fileName);
  if (!Array.isArray(keys)) throw badVectorFile(`${ids.fileName} holds numbers where ids are expected`);
  if (Array.isArray(values) || shape.length !== 2 || shape[0] !== keys.length) {
    throw badVectorFile(
      `${table.fileName} has shape [${shape.join(', ')}]; expected ${keys.length} rows of numbers, one for each id`,
    );
  }
  const dimension = shape[1];
  for (let start = 0; start < keys.length; start += batchSize) {
    yield keys.slice(start, start + batchSize).map((key, i) => ({
      key,
      name: null,
      vector: values.slice((start + i) * dimension, (start + i + 1) * dimension),
    }));
  }
}

async function* perProtein(
  zip: ZipFile,
  entries: readonly Entry[],
  batchSize: number,
): AsyncGenerator<KeyedVector[]> {
  let batch: KeyedVector[] = [];
  for (const entry of entries) {
    const key = nameOf(entry);
    const { shape, values } = readNpy(await bytesOf(zip, entry), entry.fileName);
    checkOneVector(key, shape);
    if (Array.isArray(values))
      throw badVectorFile(`${entry.fileName} holds texts where a vector is expected`);
    batch.push({ key, name: null, vector: values });
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const nameOf = (entry: Entry) => entry.fileName.replace(/\.npy$/, '');

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await promisify<string, yauzl.Options, ZipFile>(yauzl.open)(path, {
      lazyEntries: true,
      autoClose: false,
      validateEntrySizes: true,
    });
  } catch (error) {
    throw badVectorFile(`The .npz can't be read: ${(error as Error).message}`, error);
  }
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      if (!entry.fileName.endsWith('/')) entries.push(entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', (error) => reject(badVectorFile(`The .npz can't be read: ${error.message}`, error)));
    zip.readEntry();
  });
}

async function bytesOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  if (entry.uncompressedSize > maxArrayBytes) {
    throw badVectorFile(
      `${entry.fileName} has ${entry.uncompressedSize} bytes, more than the ${maxArrayBytes} of one array; use HDF5 or Parquet`,
    );
  }
  const stream = await promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))(entry);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch (error) {
    throw badVectorFile(`${entry.fileName} can't be unpacked: ${(error as Error).message}`, error);
  }
  return Buffer.concat(chunks);
}
