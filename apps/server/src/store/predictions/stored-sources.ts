/**
 * The sources of a query are stored with its predictions by accession, because every bank numbers its
 * references itself.
 */
export interface StoredSources {
  /** The best source by alignment comes first. */
  aligned: { accession: string; logEValue: number; identity: number; share: number; origin: number }[];
  /** The nearest source by distance comes first. */
  near: { accession: string; distance: number }[];
}

/** Version 1 has no origins, and stays what is written where all sources were found by the own search. */
const versions = { plain: 1, withOrigins: 2 };
const headBytes = 6;

/**
 * Encodes a version (1 byte), a zero, and the numbers of aligned and of near sources (2 bytes each). Then each
 * aligned source has log10 of the E-value, identity and share of the score, and each near source has its
 * distance (float32). All numbers are little-endian. With version 2, a byte for each aligned source says how it
 * was found (`alignmentOrigins`). The accessions of both follow, a line each (UTF-8). The
 * search uses float32, too, so nothing is rounded; values of other programs are.
 */
export function encodeSources({ aligned, near }: StoredSources): Uint8Array {
  const accessions = Buffer.from([...aligned, ...near].map(({ accession }) => accession).join('\n'));
  const numbers = [
    ...aligned.flatMap(({ logEValue, identity, share }) => [logEValue, identity, share]),
    ...near.map(({ distance }) => distance),
  ];
  const origins = aligned.some(({ origin }) => origin !== 0) ? aligned.map(({ origin }) => origin) : [];
  const bytes = Buffer.alloc(headBytes + 4 * numbers.length + origins.length + accessions.length);
  bytes.writeUInt8(origins.length > 0 ? versions.withOrigins : versions.plain, 0);
  bytes.writeUInt16LE(aligned.length, 2);
  bytes.writeUInt16LE(near.length, 4);
  numbers.forEach((value, i) => bytes.writeFloatLE(value, headBytes + 4 * i));
  bytes.set(origins, headBytes + 4 * numbers.length);
  accessions.copy(bytes, headBytes + 4 * numbers.length + origins.length);
  return bytes;
}

/** @throws RangeError for bytes that `encodeSources` has not written */
export function decodeSources(stored: Uint8Array): StoredSources {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const damaged = () => new RangeError('the stored sources of a prediction are damaged');
  const version = bytes.length < headBytes ? 0 : bytes.readUInt8(0);
  if (!Object.values(versions).includes(version)) throw damaged();
  const counts = { aligned: bytes.readUInt16LE(2), near: bytes.readUInt16LE(4) };
  const originsAt = headBytes + 4 * (3 * counts.aligned + counts.near);
  const hasOrigins = version === versions.withOrigins;
  const textAt = originsAt + (hasOrigins ? counts.aligned : 0);
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
      origin: hasOrigins ? bytes[originsAt + i] : 0,
    })),
    near: accessions
      .slice(counts.aligned)
      .map((accession, i) => ({ accession, distance: number(3 * counts.aligned + i) })),
  };
}
