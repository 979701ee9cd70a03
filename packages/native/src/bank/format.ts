/**
 * A reference bank is one file that all workers of a machine map into memory. All numbers are little-endian; every section
 * starts at a multiple of 64 bytes.
 *
 *   0    8 bytes   "KINDBANK"
 *   8    uint32    version (1)
 *   12   uint32    dimension D, 1..65536
 *   16   uint32    rows N (vectors), 1 or more
 *   20   uint32    references P (proteins)
 *   24   32 bytes  SHA-256 of the content: dimension, vectors, reference, sequence, rank, labels
 *   64   16 x (uint64 offset, uint64 bytes)   the sections, in the order of `sectionNames`
 *   512  the sections
 *
 * | section | element | shape | what |
 * | vectors | float32 | N x D | the vectors as given |
 * | norms | float64 | N | their Euclidean lengths |
 * | reference, sequence, rank | int32 | N, P, P | see VectorBank of @kindred/kernels/knn |
 * | labels | bytes | any | the caller's own (accessions, database ids) |
 * | mean | float32 | D | mean of the vectors, rounded: the centre m |
 * | codes | uint8 | G x K x 16 x 4 | the centred rows in 8 bits; G = ceil(N / 16), K = ceil(D / 4) |
 * | cosine, l2 | float32 | G x 5 x 16 | what turns an integer product into a bound (below) |
 * | limits | float64 | 2 x 5 | largest magnitude of each of the five, without odd rows; cosine first |
 *
 * Row r minus the centre is r' = s (c - 128) + e with scale s, codes c in 1..255, and remainder e. A query q with q' = q - m
 * is quantised in the same way to q' = t k + f. With I the integer product of k and c - 128:
 *
 *   <q', r'>  <=  t s I + |f| |r' - e| + |q'| |e|
 *
 * The five numbers of a row are A = s / w, B, C, H = |r' - e| / w and G = |e| / w, so that
 * t A I + B + C <q, m> + |f| H + |q'| G bounds <q, r> / |r| (cosine: w = |r|, B = <m, r'> / w, C = 1 / w) or
 * <q', r'> - |r'|^2 / 2 (l2: w = 1, B = -|r'|^2 / 2, C = 0) from above. For cosine, a zero row has all five 0. A row that is
 * very short compared with the centre, for which these rounded numbers would be inaccurate, has B = 1e37: it is always
 * compared exactly. Padding rows of the last group have B = -1e37.
 */
export const bankVersion = 1;
export const bankMagic = 'KINDBANK';
export const headerBytes = 512;
export const groupRows = 16;

export const sectionNames = [
  'vectors',
  'norms',
  'reference',
  'sequence',
  'rank',
  'labels',
  'mean',
  'codes',
  'cosine',
  'l2',
  'limits',
] as const;
export type SectionName = (typeof sectionNames)[number];

export interface BankHeader {
  dimension: number;
  rows: number;
  references: number;
  /** The SHA-256 of the content, in hexadecimal digits. */
  contentHash: string;
  sections: Record<SectionName, { offset: number; bytes: number }>;
}

/** Arranges the sections one after the other. `labelBytes` is the length of the caller's labels. */
export function layOutBank(size: {
  dimension: number;
  rows: number;
  references: number;
  labelBytes: number;
}): BankHeader {
  const { dimension, rows, references, labelBytes } = size;
  const groups = Math.ceil(rows / groupRows);
  const bytes: Record<SectionName, number> = {
    vectors: rows * dimension * 4,
    norms: rows * 8,
    reference: rows * 4,
    sequence: references * 4,
    rank: references * 4,
    labels: labelBytes,
    mean: dimension * 4,
    codes: groups * Math.ceil(dimension / 4) * 64,
    cosine: groups * 5 * 64,
    l2: groups * 5 * 64,
    limits: 80,
  };
  const sections = {} as BankHeader['sections'];
  let offset = headerBytes;
  for (const name of sectionNames) {
    sections[name] = { offset, bytes: bytes[name] };
    offset += Math.ceil(bytes[name] / 64) * 64;
  }
  return { dimension, rows, references, contentHash: '0'.repeat(64), sections };
}

/** Returns the size in bytes of a complete file with this header. */
export function bankFileBytes(header: BankHeader): number {
  const { offset, bytes } = header.sections.limits;
  return offset + Math.ceil(bytes / 64) * 64;
}

export function encodeHeader(header: BankHeader): Uint8Array {
  const out = Buffer.alloc(headerBytes);
  out.write(bankMagic, 0, 'latin1');
  out.writeUInt32LE(bankVersion, 8);
  out.writeUInt32LE(header.dimension, 12);
  out.writeUInt32LE(header.rows, 16);
  out.writeUInt32LE(header.references, 20);
  out.write(header.contentHash, 24, 'hex');
  for (const [index, name] of sectionNames.entries()) {
    out.writeBigUInt64LE(BigInt(header.sections[name].offset), 64 + 16 * index);
    out.writeBigUInt64LE(BigInt(header.sections[name].bytes), 72 + 16 * index);
  }
  return out;
}

/**
 * @param bytes the first 512 bytes of a bank
 * @param fileBytes length of the whole file
 * @throws RangeError if it is not a bank of this version, or its sections are not at the expected offsets
 */
export function decodeHeader(bytes: Uint8Array, fileBytes: number): BankHeader {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < headerBytes || view.toString('latin1', 0, 8) !== bankMagic) {
    throw new RangeError('not a reference bank: the file does not begin with KINDBANK');
  }
  const version = view.readUInt32LE(8);
  if (version !== bankVersion)
    throw new RangeError(`reference bank of version ${version}; this release reads ${bankVersion}`);
  const [dimension, rows, references] = [12, 16, 20].map((at) => view.readUInt32LE(at));
  const labelBytes = Number(view.readBigUInt64LE(72 + 16 * sectionNames.indexOf('labels')));
  if (dimension < 1 || dimension > 65_536 || rows < 1 || references < 1) {
    throw new RangeError(
      `reference bank of ${rows} rows of dimension ${dimension} for ${references} references`,
    );
  }
  const header = layOutBank({ dimension, rows, references, labelBytes });
  header.contentHash = view.toString('hex', 24, 56);
  if (
    !Buffer.from(encodeHeader(header)).equals(view.subarray(0, headerBytes)) ||
    bankFileBytes(header) !== fileBytes
  ) {
    throw new RangeError(`reference bank is damaged: ${fileBytes} bytes, expected ${bankFileBytes(header)}`);
  }
  return header;
}
