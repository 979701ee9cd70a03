import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { mostProteinsBeside } from '@kindred/contracts/resources/prediction-sets';
import { BankWriter, readBankHeader } from '@kindred/native';

/**
 * The format is part of the key of a bank, so that a bank of another format is never searched. It also grows
 * when the same rows give other contents: banks of format 4 may hold negated annotations (`not|enables`) as
 * positive.
 */
export const bankFormat = 5;

/**
 * A bank is one folder with everything that nearest-neighbour transfer needs of one (embedding configuration,
 * annotation set). `vectors.bank` is mapped by all workers of a machine. The terms that the references give
 * are in memory shared by the threads of a process.
 *
 * References are proteins with at least one term to give, in order of accession. Sequences have the order of
 * their first reference, and terms the order of GO ids, so that an index is also the order of ties. Ids of
 * the database depend on the order in which rows came, so they decide nothing.
 */
export interface ReferenceBank {
  /** The file has the vectors; each distinct sequence has one bank reference. */
  vectorsFile: string;
  arrays: BankArrays;
  texts: BankTexts;
  /** The origin of the bank (ids, counts) is written into results. */
  origin: Record<string, unknown>;
  /** A choice takes a part of the bank in its folder; null means all of it. */
  selection: BankSelection | null;
}

/**
 * References that are searched in turn stay in memory beside the largest one if they have at most this many
 * proteins together.
 */
export const proteinsBeside = mostProteinsBeside;

export const proteinsIn = ({ referenceSequence }: BankArrays): number => referenceSequence.length;

/** A search needs only these parts of a bank. */
export type SearchedBank = Pick<ReferenceBank, 'vectorsFile' | 'arrays' | 'selection'>;

export function searchedBank({ vectorsFile, arrays, selection }: ReferenceBank): SearchedBank {
  return { vectorsFile, arrays, selection };
}

/**
 * A choice keeps some references and terms: the sequences keep their numbers, and the references get new
 * ones.
 */
export interface BankSelection {
  /** The key identifies the choice among those of one bank. */
  key: string;
  /** A sequence with a chosen reference has 1: [sequences]. */
  sequences: Uint8Array;
  /**
   * The sequences have another order of ties than in the vectors' file, because their first proteins are not
   * chosen.
   */
  isReordered: boolean;
}

/** Each distinct sequence has one number. */
export interface NumberedSequences {
  /** Each number stands for this database id: [sequences]. */
  sequenceIds: Float64Array;
  /** The numbers are ordered by database id: [sequences]. */
  sequencesById: Int32Array;
}

/** Numbers sequences, given by their database ids, in the order in which they first appear. */
export function numberSequences(ids: Iterable<number>): NumberedSequences {
  const sequenceIds = Float64Array.from(new Set(ids));
  const numberOf = new Map(Array.from(sequenceIds, (id, number) => [id, number]));
  return {
    sequenceIds,
    sequencesById: Int32Array.from(sequenceIds.toSorted(), (id) => numberOf.get(id) as number),
  };
}

/** Gives the number of a sequence, -1 if it is not among them. */
export function sequenceNumber({ sequenceIds, sequencesById }: NumberedSequences, id: number): number {
  let low = 0;
  let high = sequencesById.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sequenceIds[sequencesById[middle]] < id) low = middle + 1;
    else high = middle;
  }
  const number = low < sequencesById.length ? sequencesById[low] : -1;
  return number >= 0 && sequenceIds[number] === id ? number : -1;
}

/** The bank's references are indices into its sequences. */
export interface BankArrays extends NumberedSequences {
  /** Each reference has its sequence as an index into sequenceIds: [references]. */
  referenceSequence: Int32Array;
  /** The reference has this NCBI taxon, 0 if unknown: [references]. */
  referenceTaxon: Int32Array;
  /** The terms of reference r are terms[termStart[r] .. termStart[r + 1]), ascending. */
  termStart: Int32Array;
  terms: Int32Array;
  /** Each entry of `terms` has an index into `evidenceCodes` (strongest first). */
  evidence: Int32Array;
  /** Each entry of `terms` has an index into `qualifiers`; 255 means that the qualifier is missing. */
  qualifier: Uint8Array;
  /** The reference has each entry of `terms` by these evidence groups (a mask). */
  groups: Uint8Array;
  /** Each entry of `terms` has an index into `kindSets`, which says which rows it has. */
  kindSet: Int32Array;
  /** Each term has this database row: [terms known]. */
  termRowId: Int32Array;
  /** Each term has an aspect, 0 for P, 1 for F, 2 for C: [terms known]. */
  termAspect: Uint8Array;
}

/** This value stands for a missing qualifier, instead of an index into `qualifiers`. */
export const noQualifier = 255;

export interface BankTexts {
  accessions: string[];
  goIds: string[];
  /** The strongest code comes first. */
  evidenceCodes: string[];
  qualifiers: string[];
  /** The kinds of rows, and for each set of them their numbers, in the order of the rows. */
  kinds: RowKind[];
  kindSets: number[][];
}

/** The kind of an annotation row has all its facts except protein and term. */
export interface RowKind {
  evidence: string;
  qualifier: string | null;
  /** A group assigned the annotation (GAF column 15). */
  source: string | null;
  /** The evidence code belongs to the group of this number. */
  group: number;
}

const arrayTypes = {
  sequenceIds: Float64Array,
  sequencesById: Int32Array,
  referenceSequence: Int32Array,
  referenceTaxon: Int32Array,
  termStart: Int32Array,
  terms: Int32Array,
  evidence: Int32Array,
  qualifier: Uint8Array,
  groups: Uint8Array,
  kindSet: Int32Array,
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

/** These arrays describe references and sequences; the others describe the terms that references give. */
type ReferenceArrayName = keyof NumberedSequences | 'referenceSequence' | 'referenceTaxon';

export interface GivenTerms {
  arrays: Omit<BankArrays, ReferenceArrayName>;
  texts: Omit<BankTexts, 'accessions'>;
}

export interface BankContent {
  dimension: number;
  arrays: Pick<BankArrays, ReferenceArrayName>;
  accessions: string[];
  origin: Record<string, unknown>;
  /** Reads the terms; the writer calls it once, while the vectors are written. */
  readTerms(): Promise<GivenTerms>;
  /** Each sequence has this number of vectors (chunks): [sequences]. */
  vectorCounts: Int32Array;
  /** The blocks hold whole rows, by sequence, then by chunk. */
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
    // The draft is removed because the next attempt may need the space, above all on a full disk.
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function fill(draft: string, content: BankContent): Promise<void> {
  const terms = content.readTerms();
  // The terms are awaited even then, so that nothing is deleted while the writer works. Their error surfaces
  // at the await.
  terms.catch(() => {});
  await writeVectors(join(draft, 'vectors.bank'), content);
  const given = await terms;
  const arrays: BankArrays = { ...content.arrays, ...given.arrays };
  const lengths = {} as Record<ArrayName, number>;
  for (const name of arrayNames) {
    const array = arrays[name];
    lengths[name] = array.length;
    await writeFile(join(draft, name), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  const manifest: BankManifest = {
    formatVersion: bankFormat,
    lengths,
    texts: { accessions: content.accessions, ...given.texts },
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
  // In ties, a sequence has the rank of its first protein.
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

/** Reads a bank, its terms into shared memory; null if `folder` holds no bank of this format. */
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
    selection: null,
  };
}

/** The fault says that another version of the program made the bank, so this version never reads it. */
export const outdatedBank = 'outdated';

/**
 * Finds the fault of the bank in `folder`, by the headers and sizes of its files; null means that it has
 * none, or was just deleted.
 */
export async function bankFault(folder: string): Promise<string | null> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as BankManifest;
    if (manifest.formatVersion !== bankFormat) return outdatedBank;
    for (const name of arrayNames) {
      const expected = manifest.lengths[name] * arrayTypes[name].BYTES_PER_ELEMENT;
      const { size } = await stat(join(folder, name));
      if (size < expected) return `the file ${name} has ${size} bytes, expected ${expected}`;
    }
    readBankHeader(join(folder, 'vectors.bank'));
    return null;
  } catch (error) {
    const gone = await stat(folder).then(
      () => false,
      () => true,
    );
    return gone ? null : (error as Error).message;
  }
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
