import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { BankWriter } from '@kindred/native';

/** Part of the key of a bank, so that one of another format is never looked for. */
export const bankFormat = 3;

/**
 * Everything that nearest-neighbour transfer needs of one (embedding configuration, annotation set), as one folder:
 * `vectors.bank`, which all workers of a machine map, and the terms that the references give, which are in memory shared by
 * the threads of a process.
 *
 * References are proteins with at least one term to give, in order of accession. Terms are in order of GO id, so that an
 * index is also the order of ties.
 */
export interface ReferenceBank {
  /** Path of the vectors: one bank reference per distinct sequence. */
  vectorsFile: string;
  arrays: BankArrays;
  texts: BankTexts;
  /** How the bank came to be: ids, counts; written into results. */
  origin: Record<string, unknown>;
}

export interface BankArrays {
  /** Distinct sequences, as database ids, ascending: [sequences]. The bank's references are indices into it. */
  sequenceIds: Float64Array;
  /** Index into sequenceIds: [references]. */
  referenceSequence: Int32Array;
  /** NCBI taxon, 0 where unknown: [references]. */
  referenceTaxon: Int32Array;
  /** Terms of reference r: terms[termStart[r] .. termStart[r + 1]), ascending. */
  termStart: Int32Array;
  terms: Int32Array;
  /** Index into `evidenceCodes` (strongest first) of each entry of `terms`. */
  evidence: Int32Array;
  /** Index into `qualifiers` of each entry of `terms`; 255 is none. */
  qualifier: Uint8Array;
  /** Evidence groups (a mask) by which the reference has each entry of `terms`. */
  groups: Uint8Array;
  /** Database row of each term: [terms known]. */
  termRowId: Int32Array;
  /** 0 P, 1 F, 2 C: [terms known]. */
  termAspect: Uint8Array;
}

export interface BankTexts {
  accessions: string[];
  goIds: string[];
  /** Strongest first. */
  evidenceCodes: string[];
  qualifiers: string[];
}

const arrayTypes = {
  sequenceIds: Float64Array,
  referenceSequence: Int32Array,
  referenceTaxon: Int32Array,
  termStart: Int32Array,
  terms: Int32Array,
  evidence: Int32Array,
  qualifier: Uint8Array,
  groups: Uint8Array,
  termRowId: Int32Array,
  termAspect: Uint8Array,
} as const;
type ArrayName = keyof typeof arrayTypes;
const arrayNames = Object.keys(arrayTypes) as ArrayName[];

interface BankManifest {
  formatVersion: number;
  lengths: Record<ArrayName, number>;
  texts: BankTexts;
  origin: Record<string, unknown>;
}

/** What a builder hands over. */
export interface BankContent extends Omit<ReferenceBank, 'vectorsFile'> {
  dimension: number;
  /** Vectors of each sequence (chunks): [sequences]. */
  vectorCounts: Int32Array;
  /** Blocks of whole rows, by sequence, then by chunk. */
  vectorBlocks: AsyncIterable<Float32Array>;
}

/** Writes the bank into `folder`, which appears whole or not at all. */
export async function writeBank(folder: string, content: BankContent): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await fill(draft, content);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    // On a full disk above all: the next attempt needs the space.
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function fill(draft: string, content: BankContent): Promise<void> {
  await writeVectors(join(draft, 'vectors.bank'), content);
  const lengths = {} as Record<ArrayName, number>;
  for (const name of arrayNames) {
    const array = content.arrays[name];
    lengths[name] = array.length;
    await writeFile(join(draft, name), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  const manifest: BankManifest = {
    formatVersion: bankFormat,
    lengths,
    texts: content.texts,
    origin: content.origin,
  };
  await writeFile(join(draft, 'manifest.json'), JSON.stringify(manifest));
}

async function writeVectors(path: string, content: BankContent): Promise<void> {
  const { vectorCounts, arrays, dimension } = content;
  const rows = vectorCounts.reduce((sum, count) => sum + count, 0);
  const reference = new Int32Array(rows);
  let row = 0;
  vectorCounts.forEach((count, sequence) => {
    reference.fill(sequence, row, row + count);
    row += count;
  });
  // A sequence takes the place of its first protein in ties.
  const rank = new Int32Array(vectorCounts.length).fill(-1);
  arrays.referenceSequence.forEach((sequence, protein) => {
    if (rank[sequence] < 0) rank[sequence] = protein;
  });
  const sequence = Int32Array.from(vectorCounts.keys());
  const writer = new BankWriter(path, { dimension, rows, reference, sequence, rank });
  try {
    for await (const block of content.vectorBlocks) writer.append(block);
  } catch (error) {
    writer.abandon();
    throw error;
  }
  await writer.finishInTurns();
}

/** Reads a bank, its terms into shared memory; null where `folder` holds none of this format. */
export async function readBank(folder: string): Promise<ReferenceBank | null> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const manifest = JSON.parse(text) as BankManifest;
  if (manifest.formatVersion !== bankFormat) return null;
  const arrays: Record<string, unknown> = {};
  for (const name of arrayNames)
    arrays[name] = await readShared(join(folder, name), name, manifest.lengths[name]);
  return {
    vectorsFile: join(folder, 'vectors.bank'),
    arrays: arrays as unknown as BankArrays,
    texts: manifest.texts,
    origin: manifest.origin,
  };
}

async function readShared(path: string, name: ArrayName, length: number) {
  const Type = arrayTypes[name] as new (buffer: SharedArrayBuffer) => BankArrays[ArrayName];
  const shared = new SharedArrayBuffer(length * arrayTypes[name].BYTES_PER_ELEMENT);
  const bytes = new Uint8Array(shared);
  const file = await open(path);
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
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
  return new Type(shared);
}
