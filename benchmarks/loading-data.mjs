// Makes large inputs from the real example files: the same rows and sequences again and again under other accessions.
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip, createGzip } from 'node:zlib';
import { variantOf } from '@kindred/testkit';

export const example = (name) => join(fileURLToPath(new URL('../examples/', import.meta.url)), name);
export const rowsPerCopy = 77_317;

async function linesOf(file) {
  const chunks = [];
  for await (const chunk of createReadStream(file).pipe(createGunzip())) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
}

/** Returns the accession of a copy: `P12345` of copy 7 is `P12345.7`, and copy 0 keeps its accession. */
export const accessionOfCopy = (accession, copy) => (copy === 0 ? accession : `${accession}.${copy}`);

/** Writes a gzip GAF of `copies` x 77,317 rows as a stream, and returns its unpacked bytes. */
export async function writeGaf(path, copies) {
  const lines = await linesOf(example('reference.gaf.gz'));
  const comments = lines.filter((line) => line.startsWith('!'));
  const rows = lines
    .filter((line) => !line.startsWith('!'))
    .map((line) => {
      const [database, accession, ...rest] = line.split('\t');
      return { start: `${database}\t${accession}`, end: `\t${rest.join('\t')}\n` };
    });
  function* pieces() {
    yield `${comments.join('\n')}\n`;
    for (let copy = 0; copy < copies; copy++) {
      const suffix = copy === 0 ? '' : `.${copy}`;
      for (let from = 0; from < rows.length; from += 1000) {
        yield rows
          .slice(from, from + 1000)
          .map((row) => row.start + suffix + row.end)
          .join('');
      }
    }
  }
  return write(path, pieces);
}

/** Makes a small generator with a seed (mulberry32), so that each run reads the same file. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Writes a gzip FASTA of `copies` x 4,000 distinct sequences. Copies after the first have one residue in fifty changed. */
export async function writeFasta(path, copies) {
  const records = [];
  for (const line of await linesOf(example('reference.fasta.gz'))) {
    if (line.startsWith('>')) {
      const [accession, ...rest] = line.slice(1).split(' ');
      records.push({ accession, rest: rest.join(' '), sequence: '' });
    } else records[records.length - 1].sequence += line;
  }
  const next = random(20220701);
  function* pieces() {
    for (let copy = 0; copy < copies; copy++) {
      for (const { accession, rest, sequence } of records) {
        const places = copy === 0 ? 0 : Math.ceil(sequence.length / 50);
        const residues = variantOf(sequence, (below) => Math.floor(next() * below), places);
        yield `>${accessionOfCopy(accession, copy)} ${rest}\n${residues}\n`;
      }
    }
  }
  return write(path, pieces);
}

async function write(path, pieces) {
  let bytes = 0;
  const count = new Transform({
    transform(chunk, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(Readable.from(pieces()), count, createGzip({ level: 1 }), createWriteStream(path));
  return bytes;
}

/** Yields batches of 1,000 vectors of float16 bits in -2..2, as an embedding job hands them to the writer. */
export function vectorBatches(sequenceIds, dimension) {
  const next = random(1024);
  const rowsPerBatch = 1000;
  const batches = [];
  for (let from = 0; from < sequenceIds.length; from += rowsPerBatch) {
    const ids = sequenceIds.slice(from, from + rowsPerBatch);
    batches.push({
      dimension,
      sequenceIds: Float64Array.from(ids),
      chunkStart: new Int32Array(ids.length),
      chunkEnd: new Int32Array(ids.length).fill(-1),
      vectors: Uint16Array.from({ length: ids.length * dimension }, () => {
        const magnitude = Math.floor(next() * 0x4000);
        return next() < 0.5 ? magnitude : 0x8000 + magnitude;
      }),
    });
  }
  return batches;
}
