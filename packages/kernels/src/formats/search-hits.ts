import { expected } from './annotation.js';
import { parseFastaHeader } from './fasta-header.js';
import { FormatError } from './format-error.js';
import { type LineOptions, lineBatches, type TextSource } from './lines.js';

/** A hit of a search, as a line of BLAST's table of 12 columns has it. */
export interface SearchHit {
  line: number;
  /** The name of the query, as the program wrote it. */
  query: string;
  /** The accession of the target (`targetAccession`). */
  target: string;
  /** The share of identical columns as written: 0 to 1, or 0 to 100 (see `SearchHitFile.isPercent`). */
  identity: number;
  /** The decimal logarithm of the E-value, at least `smallestLogEValue`. */
  logEValue: number;
  bits: number;
}

/** The facts of a whole table, which are complete when the reader has ended. */
export interface SearchHitFile {
  /** Whether identities are percents, as BLAST and DIAMOND write them; MMseqs2 and Foldseek write shares. */
  isPercent: boolean;
  hits: number;
  /** The program that comment lines name, such as `BLASTP 2.12.0+`; null if none does. */
  program: string | null;
}

/** BLAST writes an E-value below this power of ten as 0. */
export const smallestLogEValue = -180;
const columnCount = 12;
/** Fewer pairs of lines do not show in which direction the E-values run. */
const fewestPairs = 10;
const model = /^AF-([A-Z0-9]+(?:-\d+)?)-F\d+(?:-model_v\d+)?$/;
const structureFile = /\.(?:pdb|ent|cif|mmcif|bcif|fcz)(?:\.gz)?(?:_[A-Za-z0-9]+)?$/i;
const programLine = /^#\s*(T?BLAST[NPX]\S*\s+\S+|DIAMOND\s+v?\S+|MMseqs2?\s+\S+|Foldseek\s+\S+)/i;

/** Returns a name without the ending of a file of a structure, and its chain; a model of AlphaFold gives its accession. */
function structureName(name: string): string {
  const bare = name.replace(structureFile, '');
  return model.exec(bare)?.[1] ?? model.exec(bare.replace(/_[A-Z0-9]+$/, ''))?.[1] ?? bare;
}

/** Returns the accession in the name of a target: `sp|P12345|NAME`, `AF-P12345-F1-model_v4`, or the bare accession. */
export function targetAccession(name: string): string {
  return structureName(parseFastaHeader(name).accession);
}

/** The proteins of a run, found by the names that other programs write. A name that comes again costs no second search. */
export class NamedQueries {
  readonly #known: { has(accession: string): boolean };
  readonly #found = new Map<string, string | null>();

  constructor(known: { has(accession: string): boolean }) {
    this.#known = known;
  }

  /**
   * Returns the accession that a name stands for, null if none is known: the name as FASTA headers are read goes first, then the name of
   * a file of a structure without its ending.
   */
  find(name: string): string | null {
    let found = this.#found.get(name);
    if (found !== undefined) return found;
    const { accession } = parseFastaHeader(name);
    const names = [accession, accession.replace(structureFile, ''), structureName(accession)];
    found = names.find((one) => this.#known.has(one)) ?? null;
    this.#found.set(name, found);
    return found;
  }
}

/**
 * Reads hits in the table of 12 columns that BLAST (`-outfmt 6` or `7`), DIAMOND, MMseqs2 and Foldseek write: query, target, identity,
 * length, mismatches, gap openings, starts and ends, E-value and bits. Comments (`#`), blank lines and a line of headings are passed over.
 *
 * @throws FormatError for a line that has another form, and at the end for a table whose E-values grow with the bits, which are no
 * E-values (Foldseek writes TM-scores there with `--alignment-type 1`)
 */
export async function* readSearchHits(
  source: TextSource,
  file: SearchHitFile,
  options: LineOptions = {},
): AsyncGenerator<SearchHit[]> {
  const direction = new Direction();
  for await (const { firstLine, lines } of lineBatches(source, options)) {
    const hits: SearchHit[] = [];
    lines.forEach((line, i) => {
      if (line.startsWith('#')) file.program ??= programLine.exec(line)?.[1] ?? null;
      else if (line.trim() !== '' && !(firstLine + i === 1 && isHeading(line))) {
        const hit = hitOf(line, firstLine + i);
        if (hit.identity > 1) file.isPercent = true;
        direction.add(hit);
        hits.push(hit);
      }
    });
    file.hits += hits.length;
    if (hits.length > 0) yield hits;
  }
  if (direction.isWrong)
    throw new FormatError({
      line: direction.line,
      record: null,
      reason:
        'column 11 grows with the bits of column 12 here, so it has no E-values (Foldseek writes TM-scores there with --alignment-type 1; search with --alignment-type 2)',
    });
}

export function emptySearchHitFile(): SearchHitFile {
  return { isPercent: false, hits: 0, program: null };
}

/** The heading of Foldseek's `--format-mode 4`, and that of DIAMOND's `--header`. */
function isHeading(line: string): boolean {
  return /^(?:query|qseqid|qaccver)\t(?:target|sseqid|saccver)\t/i.test(line);
}

const numberFrom = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

function hitOf(line: string, lineNumber: number): SearchHit {
  const columns = line.split('\t');
  const record = columns[0].trim() || null;
  const fail = (reason: string): never => {
    throw new FormatError({ line: lineNumber, record, reason });
  };
  if (columns.length !== columnCount)
    fail(
      `expected the ${columnCount} columns of BLAST's -outfmt 6, separated by tabs, found ${columns.length}; write the table in the default format of the program`,
    );
  if (record === null) fail(expected('the name of a query', 'column 1', columns[0]));
  if (columns[1].trim() === '') fail(expected('the name of a target', 'column 2', columns[1]));
  const identity = numberFrom(columns[2]);
  if (!(identity >= 0 && identity <= 100)) fail(expected('an identity of 0 to 100', 'column 3', columns[2]));
  const eValue = numberFrom(columns[10]);
  if (!(eValue >= 0 && Number.isFinite(eValue)))
    fail(expected('an E-value of 0 or more', 'column 11', columns[10]));
  const bits = numberFrom(columns[11]);
  if (!Number.isFinite(bits)) fail(expected('the bits of the hit', 'column 12', columns[11]));
  return {
    line: lineNumber,
    query: record as string,
    target: targetAccession(columns[1].trim()),
    identity,
    logEValue: Math.max(smallestLogEValue, Math.log10(eValue)),
    bits,
  };
}

/** Tells from neighbouring lines of a query whether better hits have smaller E-values. */
class Direction {
  #last: SearchHit | null = null;
  #pairs = 0;
  #rising = 0;
  /** The first line that speaks against E-values, from 1. */
  line = 1;

  add(hit: SearchHit): void {
    const last = this.#last;
    this.#last = hit;
    if (last === null || last.query !== hit.query) return;
    const rise = (hit.bits - last.bits) * (hit.logEValue - last.logEValue);
    if (rise === 0) return;
    this.#pairs++;
    if (rise < 0) return;
    if (this.#rising === 0) this.line = hit.line;
    this.#rising++;
  }

  get isWrong(): boolean {
    return this.#pairs >= fewestPairs && this.#rising > this.#pairs / 2;
  }
}
