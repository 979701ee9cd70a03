import type { CombinedQuery } from '@kindred/kernels/combined';
import { indexOfSorted } from '@kindred/kernels/arrays';

/**
 * The sources of a query are stored with its predictions by accession, because every bank numbers its
 * references itself.
 */
export interface StoredSources {
  /** The best source by alignment comes first. */
  aligned: { accession: string; logEValue: number; identity: number; share: number }[];
  /** The nearest source by distance comes first. */
  near: { accession: string; distance: number }[];
}

const version = 1;
const headBytes = 6;

/**
 * Encodes a version (1 byte), a zero, and the numbers of aligned and of near sources (2 bytes each). Then each
 * aligned source has log10 of the E-value, identity and share of the score, and each near source has its
 * distance (float32). All numbers are little-endian. The accessions of both follow, a line each (UTF-8). The
 * search uses float32, too, so nothing is rounded.
 */
export function encodeSources({ aligned, near }: StoredSources): Uint8Array {
  const accessions = Buffer.from([...aligned, ...near].map(({ accession }) => accession).join('\n'));
  const numbers = [
    ...aligned.flatMap(({ logEValue, identity, share }) => [logEValue, identity, share]),
    ...near.map(({ distance }) => distance),
  ];
  const bytes = Buffer.alloc(headBytes + 4 * numbers.length + accessions.length);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt16LE(aligned.length, 2);
  bytes.writeUInt16LE(near.length, 4);
  numbers.forEach((value, i) => bytes.writeFloatLE(value, headBytes + 4 * i));
  accessions.copy(bytes, headBytes + 4 * numbers.length);
  return bytes;
}

/** @throws RangeError for bytes that `encodeDonors` has not written */
export function decodeSources(stored: Uint8Array): StoredSources {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const damaged = () => new RangeError('the stored sources of a prediction are damaged');
  if (bytes.length < headBytes || bytes.readUInt8(0) !== version) throw damaged();
  const counts = { aligned: bytes.readUInt16LE(2), near: bytes.readUInt16LE(4) };
  const textAt = headBytes + 4 * (3 * counts.aligned + counts.near);
  if (bytes.length < textAt) throw damaged();
  const text = bytes.toString('utf8', textAt);
  const accessions = text === '' ? [] : text.split('\n');
  if (accessions.length !== counts.aligned + counts.near) throw damaged();
  const number = (i: number) => bytes.readFloatLE(headBytes + 4 * i);
  return {
    aligned: accessions.slice(0, counts.aligned).map((accession, i) => ({
      accession,
      logEValue: number(3 * i),
      identity: number(3 * i + 1),
      share: number(3 * i + 2),
    })),
    near: accessions
      .slice(counts.aligned)
      .map((accession, i) => ({ accession, distance: number(3 * counts.aligned + i) })),
  };
}

/** Gives sources in the numbers of a bank; null if the bank lacks one of them. */
export function sourcesInBank(
  { aligned, near }: StoredSources,
  accessions: readonly string[],
): Pick<CombinedQuery, 'aligned' | 'near'> | null {
  const numbered = (list: readonly { accession: string }[]) =>
    Int32Array.from(list, ({ accession }) => indexOfSorted(accessions, accession));
  const references = { aligned: numbered(aligned), near: numbered(near) };
  if ([...references.aligned, ...references.near].some((reference) => reference < 0)) return null;
  return {
    aligned: {
      reference: references.aligned,
      logEValue: Float64Array.from(aligned, ({ logEValue }) => logEValue),
      identity: Float64Array.from(aligned, ({ identity }) => identity),
      share: Float64Array.from(aligned, ({ share }) => share),
    },
    near: {
      reference: references.near,
      distance: Float64Array.from(near, ({ distance }) => distance),
    },
  };
}
