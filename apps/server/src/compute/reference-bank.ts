import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ProblemError } from '@kindred/contracts';

const formatVersion = 1;

/**
 * Everything that nearest-neighbour transfer needs of one (embedding configuration, annotation set): vectors of the annotated sequences and
 * their terms. The numeric part lies in shared memory, so that every thread of the process sees one copy.
 *
 * References are proteins with at least one term to give, in order of accession. Terms are in order of GO id, so that an
 * index is also the order of ties.
 */
export interface BankArrays {
  dimension: number;
  /** float32 [rows x dimension]; rows lie by sequence, then by chunk. */
  vectors: Float32Array;
  /** First reference (lowest accession) of the row's sequence: [rows]. */
  rowReference: Int32Array;
  /** Distinct sequences, as database ids, ascending: [sequences]. */
  sequenceIds: Float64Array;
  /** Index into sequenceIds: [references]. */
  referenceSequence: Int32Array;
  /** NCBI taxon, 0 where unknown: [references]. */
  referenceTaxon: Int32Array;
  /** Terms of reference r: terms[termStart[r] .. termStart[r + 1]), ascending. */
  termStart: Int32Array;
  terms: Int32Array;
  /** Index into `evidenceCodes` of each entry of `terms`: the strongest evidence of the pair. */
  evidence: Uint8Array;
  /** Index into `qualifiers` of each entry of `terms`; 255 is none. */
  qualifier: Uint8Array;
  /** Database row of each term: [terms known]. */
  termRowId: Int32Array;
  /** 0 P, 1 F, 2 C: [terms known]. */
  termAspect: Uint8Array;
}

export interface BankTexts {
  accessions: string[];
  goIds: string[];
  evidenceCodes: string[];
  qualifiers: string[];
}

export interface ReferenceBankFile {
  arrays: BankArrays;
  texts: BankTexts;
  /** How the bank came to be: ids, counts; written into results. */
  origin: Record<string, unknown>;
}

const arrayTypes = {
  vectors: Float32Array,
  rowReference: Int32Array,
  sequenceIds: Float64Array,
  referenceSequence: Int32Array,
  referenceTaxon: Int32Array,
  termStart: Int32Array,
  terms: Int32Array,
  evidence: Uint8Array,
  qualifier: Uint8Array,
  termRowId: Int32Array,
  termAspect: Uint8Array,
} as const;
type ArrayName = keyof typeof arrayTypes;

interface BankManifest {
  formatVersion: number;
  dimension: number;
  lengths: Record<ArrayName, number>;
  texts: BankTexts;
  origin: Record<string, unknown>;
}

/** What a builder hands over: the small arrays at once, the vectors as a stream of blocks in row order. */
export interface BankContent extends Omit<ReferenceBankFile, 'arrays'> {
  arrays: Omit<BankArrays, 'vectors'>;
  vectorBlocks: AsyncIterable<Float32Array>;
}

/** Writes the bank into `folder`, which appears whole or not at all. */
export async function writeBank(folder: string, content: BankContent): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const lengths = {} as Record<ArrayName, number>;
  lengths.vectors = await writeVectors(join(draft, 'vectors'), content.vectorBlocks);
  for (const name of Object.keys(arrayTypes) as ArrayName[]) {
    if (name === 'vectors') continue;
    const array = content.arrays[name as keyof typeof content.arrays] as Int32Array;
    lengths[name] = array.length;
    await writeFile(join(draft, name), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  const manifest: BankManifest = {
    formatVersion,
    dimension: content.arrays.dimension,
    lengths,
    texts: content.texts,
    origin: content.origin,
  };
  await writeFile(join(draft, 'manifest.json'), JSON.stringify(manifest));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

async function writeVectors(path: string, blocks: AsyncIterable<Float32Array>): Promise<number> {
  const file = createWriteStream(path);
  let length = 0;
  for await (const block of blocks) {
    length += block.length;
    const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
    if (!file.write(bytes)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
  return length;
}

/** Reads a bank into shared memory; null where `folder` holds none of this format. */
export async function readBank(folder: string): Promise<ReferenceBankFile | null> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const manifest = JSON.parse(text) as BankManifest;
  if (manifest.formatVersion !== formatVersion) return null;
  const arrays = { dimension: manifest.dimension } as Record<string, unknown>;
  for (const name of Object.keys(arrayTypes) as ArrayName[]) {
    arrays[name] = await readShared(join(folder, name), name, manifest.lengths[name]);
  }
  return { arrays: arrays as unknown as BankArrays, texts: manifest.texts, origin: manifest.origin };
}

const readBytes = 64 << 20;

async function readShared(path: string, name: ArrayName, length: number) {
  const Type = arrayTypes[name];
  const shared = new SharedArrayBuffer(length * Type.BYTES_PER_ELEMENT);
  const bytes = new Uint8Array(shared);
  const file = await open(path);
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, done, Math.min(readBytes, bytes.length - done), done);
      if (bytesRead === 0) {
        throw new ProblemError(
          'internal_error',
          `The reference bank ${path} is cut short; delete its folder and run again.`,
        );
      }
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
  return new (Type as new (buffer: SharedArrayBuffer) => BankArrays[ArrayName])(shared);
}
