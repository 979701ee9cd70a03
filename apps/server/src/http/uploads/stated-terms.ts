import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import type { StatedTermsFile } from '@kindred/contracts/resources/stated-terms';
import {
  detectStatedTermFormat,
  FormatError,
  insteadOfOffice,
  NamedQueries,
  peekLine,
  readStatedTerms,
  type StatedTermFormat,
} from '@kindred/kernels/formats';
import { task } from '../../ground/pool/pool.js';
import type { StatedTerms, StoredStatedTerm } from '../../store/records/stated-terms.repository.js';
import { chunksOf, isGzip, unpacked } from './sequences.js';

export interface StatedTermsUpload {
  /** The file has this name. */
  name: string;
  bytes: Uint8Array;
  /** The caller named this program. */
  program: string | undefined;
  /** The query set has these proteins. */
  accessions: readonly string[];
  maxBytes: number;
}

/** More terms of proteins than this may not fit into the memory of a small machine. */
const mostStatements = 5_000_000;
const shownFaults = 5;
/** A longer ground is cut: it is shown, and nothing is computed from it. */
const longestBasis = 300;
const programs: Record<StatedTermFormat, string> = {
  emapper: 'eggNOG-mapper',
  interproscan: 'InterProScan',
  interproscan_gff3: 'InterProScan',
  interproscan_json: 'InterProScan',
  cafa: 'other program',
};

/**
 * Reads a file of terms that another program states of proteins. Of a repeated term, the highest score counts.
 * @throws ProblemError bad_file if it is none of the formats, or states no term of one of the proteins
 */
async function readUploadedTerms(upload: StatedTermsUpload): Promise<StatedTerms> {
  const { name, bytes, maxBytes } = upload;
  const plain = isGzip(bytes) ? await unpacked(bytes, maxBytes) : bytes;
  const office = insteadOfOffice(plain);
  if (office !== null) throw new ProblemError('bad_file', `${name} ${office}.`);
  try {
    return await read(upload, plain);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ProblemError('bad_file', `${name}, ${error.message}.`, { cause: error });
  }
}

async function read(
  { name, bytes, program, accessions }: StatedTermsUpload,
  plain: Uint8Array,
): Promise<StatedTerms> {
  const { head, bytes: whole } = await peekLine(
    chunks(plain),
    (line) => detectStatedTermFormat(line) !== null,
  );
  const format = detectStatedTermFormat(head);
  if (format === null)
    throw new ProblemError(
      'bad_file',
      `${name} is none of the files that are read here: .emapper.annotations of eggNOG-mapper, the TSV, GFF3 or JSON of InterProScan, or predictions in the form of CAFA (protein, GO term, score).`,
    );
  const kept = new KeptTerms(accessions);
  const left = { skipped: 0, unreadable: 0, faults: [] as StatedTermsFile['faults'] };
  for await (const { records, rejected, skipped } of readStatedTerms(whole, format)) {
    for (const { protein, goId, score, basis } of records)
      kept.add(protein, [goId, score, basis?.slice(0, longestBasis) ?? null]);
    left.skipped += skipped;
    left.unreadable += rejected.length;
    left.faults.push(...rejected.slice(0, shownFaults - left.faults.length));
    if (kept.count > mostStatements)
      throw new ProblemError(
        'bad_file',
        `${name} has more than ${mostStatements.toLocaleString('en')} terms of proteins: split the run and the file.`,
      );
  }
  if (kept.count === 0) throw new ProblemError('bad_file', `${name} ${nothingOf(format, kept, left)}`);
  return {
    about: {
      ...{ program: program ?? programs[format], file: name, format },
      sha256: createHash('sha256').update(bytes).digest('hex'),
      ...{ proteins: kept.ofProtein.size, terms: kept.count },
      ...{ unknown_proteins: kept.unknown.size, unknown_protein: [...kept.unknown][0] ?? null },
      ...left,
    },
    ofProtein: new Map(Array.from(kept.ofProtein, ([protein, terms]) => [protein, [...terms.values()]])),
  };
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* chunksOf(bytes);
}

/** Says why no term of a file counts. */
function nothingOf(
  format: StatedTermFormat,
  { unknown }: KeptTerms,
  { unreadable, faults }: Pick<StatedTermsFile, 'unreadable' | 'faults'>,
): string {
  if (unknown.size > 0)
    return `has only proteins that this run lacks, such as "${[...unknown][0]}". Their names must be the first words of the FASTA headers.`;
  if (unreadable > 0) return `has no line that can be read. Line ${faults[0].line}: ${faults[0].reason}.`;
  return `states no GO term${format.startsWith('interproscan') ? ': run InterProScan with --goterms' : ''}.`;
}

/** Keeps each term of each known protein once. */
class KeptTerms {
  readonly #proteins: NamedQueries;
  readonly ofProtein = new Map<string, Map<string, StoredStatedTerm>>();
  readonly unknown = new Set<string>();
  count = 0;

  constructor(accessions: readonly string[]) {
    this.#proteins = new NamedQueries(new Set(accessions));
  }

  add(name: string, term: StoredStatedTerm): void {
    const protein = this.#proteins.find(name);
    if (protein === null) {
      this.unknown.add(name);
      return;
    }
    let terms = this.ofProtein.get(protein);
    if (terms === undefined) this.ofProtein.set(protein, (terms = new Map()));
    const before = terms.get(term[0]);
    if (before === undefined) this.count++;
    if (before === undefined || (term[1] ?? 0) > (before[1] ?? 0)) terms.set(term[0], term);
  }
}

/** Runs in a compute thread, because JSON of a proteome is read at once. */
export const readStatedTermsTask = task(import.meta.url, readUploadedTerms);
