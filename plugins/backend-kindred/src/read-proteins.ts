import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { FormatError, parseFasta } from '@kindred/kernels/formats';

/** A sequence has at most so many residues, as the service takes them by default: longer ones are no proteins. */
const maxResidues = 40_000;

/** @throws ProblemError bad_file, bad_fasta */
export function readProteins(file: string): ReturnType<typeof parseFasta> {
  try {
    const bytes = readFileSync(file);
    return parseFasta(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes, { maxResidues });
  } catch (error) {
    const { message } = error as Error;
    throw error instanceof FormatError
      ? new ProblemError('bad_fasta', `${file}: ${message}`)
      : new ProblemError('bad_file', `${file} cannot be read: ${message}`);
  }
}
