import {
  CodingBudget,
  type CodingSequence,
  type LeftOutProtein,
  proteinRecord,
  translate,
  translationExceptions,
} from './coding-sequence.js';
import type { FastaLimits, FastaRecord } from './fasta.js';
import { parseLocation } from './feature-location.js';
import { FormatError, quoted, type Rejection } from './format-error.js';
import type { TextSource } from './lines.js';
import { describeEntry, organismOf, type ProteinEntry, proteinEntry } from './protein-entry.js';
import { ProteinsOnce } from './proteins-once.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from './read-batches.js';

export interface ProteinReadOptions extends FastaLimits, ReadOptions {
  /** A function that is called for each coding sequence without a protein here (a pseudogene, a stop inside), with the reason. */
  onLeftOut?: (leftOut: LeftOutProtein) => void;
}

/**
 * Reads the proteins of a flat file. GenPept and UniProt text give the residues of each entry; GenBank and EMBL give the `/translation`
 * of each CDS, or else its bases translated by its `/transl_table` (default 1) where the record has its sequence. A protein is named by
 * `/protein_id`, else `/locus_tag`, else `/gene`, else its position. A protein that occurs twice with the same sequence comes once (and
 * is counted in `skipped`). The heading of a release of GenBank may come before the first record.
 * The memory is the sequence of one record. The source is the INSDC feature table definition.
 *
 * @throws FormatError for a line that is too long, or more than `maxSequences` proteins; other faults are rejections (line, protein,
 * reason)
 */
export function readFlatFile(
  source: TextSource,
  options: ProteinReadOptions = {},
): AsyncGenerator<ParsedBatch<FastaRecord>> {
  return readBatches(source, new FlatFileReader(options), options);
}

interface OpenRecord {
  name: string;
  line: number;
  isCircular: boolean;
  /** The number of bases or residues that its first line states; null if it states none. */
  statedLength: number | null;
  organism: string | null;
  taxonId: number | null;
  /** The names of genes that are pseudogenes. */
  pseudogenes: Set<string>;
  /** Coding sequences without a translation, which wait for the bases. */
  waiting: CodingSequence[];
  /** The lines of the record's nucleotides or residues. */
  letters: string[];
  /** The entry of a protein; null if the record has nucleotides. */
  entry: ProteinEntry | null;
}

interface OpenFeature {
  key: string;
  line: number;
  location: string;
  qualifiers: [name: string, value: string][];
  /** Whether the last value lacks its closing quote. */
  open: boolean;
}

class FlatFileReader implements LineReader<FastaRecord> {
  readonly #options: ProteinReadOptions;
  readonly #proteins = new ProteinsOnce();
  #record: OpenRecord | null = null;
  #feature: OpenFeature | null = null;
  #section: 'head' | 'features' | 'letters' = 'head';
  #isInHeading = false;
  #strayTextSeen = false;
  #isRefused = false;
  #leftOut = 0;

  constructor(options: ProteinReadOptions) {
    this.#options = options;
  }

  read(line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    const start = /^(?:LOCUS {2,}|ID {3})(\S+?)(?:;|\s|$)(.*)/.exec(line);
    if (start !== null) this.#begin(start[1], start[2], lineNumber, batch);
    else if (line.startsWith('//')) this.#end(batch);
    else if (this.#record === null) this.#stray(line, lineNumber, batch);
    else this.#inside(this.#record, line, lineNumber, batch);
  }

  finish(lineCount: number, batch: ParsedBatch<FastaRecord>): void {
    if (this.#record !== null)
      batch.rejected.push({
        line: Math.max(lineCount, 1),
        record: this.#record.name,
        reason: `the record that starts in line ${this.#record.line} has no end ("//"): the file is cut off`,
      });
    else if (this.#proteins.count === 0 && this.#leftOut === 0 && !this.#isRefused)
      batch.rejected.push({
        line: Math.max(lineCount, 1),
        record: null,
        reason: 'no coding sequence: the file has no CDS feature; give a file with annotated genes',
      });
  }

  #begin(name: string, rest: string, line: number, batch: ParsedBatch<FastaRecord>): void {
    if (this.#record !== null) this.#end(batch);
    const isCircular = /(?:^|[\s;])circular(?:[\s;]|$)/.test(rest);
    const entry = proteinEntry(name, rest);
    this.#record = {
      name,
      line,
      isCircular,
      statedLength: Number(/(?:^|\s)(\d{1,12}) (?:bp|aa)(?:[\s.;]|$)/i.exec(rest)?.[1] ?? Number.NaN) || null,
      organism: null,
      taxonId: null,
      waiting: [],
      letters: [],
      entry,
      pseudogenes: new Set(),
    };
    this.#isInHeading = false;
    this.#section = 'head';
  }

  #stray(line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    if (this.#strayTextSeen || this.#isInHeading || line.trim() === '') return;
    if (isReleaseHeading(line)) {
      this.#isInHeading = true;
      return;
    }
    this.#strayTextSeen = true;
    this.#refuse(batch, {
      line: lineNumber,
      record: null,
      reason: `text outside of a record: ${quoted(line)}; a record starts with LOCUS (GenBank) or ID (EMBL)`,
    });
  }

  #inside(record: OpenRecord, line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    // EMBL has a two-letter code where GenBank has blanks.
    const embl = /^(FT|SQ|FH|[A-Z]{2}) {3}/.exec(line)?.[1];
    if (record.entry !== null && this.#section === 'head') describeEntry(record.entry, line);
    if (line.startsWith('FEATURES') || embl === 'FH') this.#section = 'features';
    else if (line.startsWith('ORIGIN') || embl === 'SQ') {
      this.#closeFeature(record, batch);
      this.#section = 'letters';
    } else if (embl === 'FT') {
      this.#section = 'features';
      this.#featureLine(record, `  ${line.slice(2)}`, lineNumber, batch);
    } else if (/^\S/.test(line)) {
      this.#closeFeature(record, batch);
      this.#section = 'head';
    } else if (this.#section === 'features') this.#featureLine(record, line, lineNumber, batch);
    else if (this.#section === 'letters') record.letters.push(line.replaceAll(/[\s\d]/g, ''));
  }

  #featureLine(record: OpenRecord, line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    const isNew = /^ {5}\S/.test(line);
    if (isNew) {
      this.#closeFeature(record, batch);
      const [key, ...location] = line.trim().split(/\s+/);
      this.#feature = { key, line: lineNumber, location: location.join(''), qualifiers: [], open: false };
    } else if (this.#feature !== null) extend(this.#feature, line.trim());
  }

  #closeFeature(record: OpenRecord, batch: ParsedBatch<FastaRecord>): void {
    const feature = this.#feature;
    this.#feature = null;
    if (feature?.key === 'source') describeSource(record, feature);
    else if (record.entry !== null && feature !== null) describeProduct(record.entry, feature);
    else if (feature?.key === 'CDS') this.#coding(record, feature, batch);
    else if (feature?.key === 'gene' && isPseudo(feature)) record.pseudogenes.add(geneOf(feature));
  }

  #coding(record: OpenRecord, feature: OpenFeature, batch: ParsedBatch<FastaRecord>): void {
    const value = (name: string) => valueOf(feature, name);
    const location = parseLocation(feature.location);
    const codonStart = Number(value('codon_start') ?? 1);
    const [first] = location?.parts ?? [];
    const coding: CodingSequence = {
      accession:
        value('protein_id') ??
        value('locus_tag') ??
        value('gene') ??
        `${record.name}_${first?.start ?? feature.line}_${first?.end ?? ''}`,
      product: value('product'),
      gene: value('gene'),
      organism: record.organism,
      taxonId: record.taxonId,
      parts: location?.parts ?? [],
      phase: codonStart - 1,
      hasStart: location?.hasStart === true && codonStart === 1,
      table: Number(value('transl_table') ?? 1),
      exceptions: exceptionsOf(feature),
      line: feature.line,
    };
    const translation = value('translation');
    // A pseudogene has no protein, even where a program wrote the translation that it would have.
    if (isPseudo(feature)) this.#leaveOut(coding, 'a pseudogene');
    else if (translation !== null) this.#emit(coding, translation, batch);
    else if (value('protein_id') === null && record.pseudogenes.has(geneOf(feature)))
      this.#leaveOut(coding, 'a pseudogene');
    else if (location === null)
      this.#leaveOut(
        coding,
        `its place ${quoted(feature.location)} is in another record, or its ends are not exact`,
      );
    else if (![1, 2, 3].includes(codonStart))
      this.#refuse(batch, {
        line: feature.line,
        record: coding.accession,
        reason: `/codon_start=${value('codon_start')}: must be 1, 2 or 3`,
      });
    else record.waiting.push(coding);
  }

  #end(batch: ParsedBatch<FastaRecord>): void {
    const record = this.#record;
    if (record === null) return;
    this.#closeFeature(record, batch);
    this.#record = null;
    if (record.entry !== null) this.#endEntry(record, record.entry, batch);
    if (record.waiting.length === 0) return;
    const bases = record.letters.join('').toUpperCase();
    const budget = new CodingBudget(bases.length);
    const fault =
      bases === ''
        ? 'neither a /translation nor the bases of its record are in the file'
        : lengthFault(record, bases.length, 'bases');
    for (const coding of record.waiting) {
      if (fault !== null) {
        this.#leaveOut(coding, fault);
        continue;
      }
      const tooMuch = budget.spend(coding.parts);
      if (tooMuch !== null) {
        this.#refuse(batch, { line: coding.line, record: coding.accession, reason: tooMuch });
        return;
      }
      const made = translate(coding, bases, record.isCircular);
      if ('reason' in made) this.#leaveOut(coding, made.reason);
      else this.#emit(coding, made.residues, batch);
    }
  }

  /** Ends an entry of a protein. Its features describe the protein and are not translated. */
  #endEntry(record: OpenRecord, entry: ProteinEntry, batch: ParsedBatch<FastaRecord>): void {
    const about = {
      ...entry,
      accession: entry.accession ?? record.name,
      organism: record.organism ?? organismOf(entry),
      taxonId: record.taxonId ?? entry.taxonId,
      line: record.line,
    };
    const residues = record.letters.join('');
    const fault =
      record.letters.length === 0
        ? 'its entry has no residues (ORIGIN or SQ)'
        : lengthFault(record, residues.length, 'residues');
    if (fault !== null) this.#leaveOut(about, fault);
    else this.#emit(about, residues, batch);
  }

  #refuse(batch: ParsedBatch<FastaRecord>, rejection: Rejection): void {
    this.#isRefused = true;
    batch.rejected.push(rejection);
  }

  #leaveOut({ line, accession }: ProteinAbout, reason: string): void {
    this.#leftOut++;
    this.#options.onLeftOut?.({ line, record: accession, reason });
  }

  #emit(coding: ProteinAbout, text: string, batch: ParsedBatch<FastaRecord>): void {
    const { maxSequences = Infinity, maxResidues = Infinity } = this.#options;
    const { line, accession } = coding;
    const sequence = text.replaceAll(/\s/g, '').replace(/\*$/, '').toUpperCase();
    const bad = /[^A-Z]/.exec(sequence);
    const reason =
      bad !== null
        ? `${quoted(bad[0])} is not a residue`
        : sequence === ''
          ? 'the protein has no residues'
          : sequence.length > maxResidues
            ? `more than ${maxResidues} residues`
            : null;
    if (reason !== null) this.#refuse(batch, { line, record: accession, reason });
    else this.#proteins.add(proteinRecord(coding, sequence), batch);
    if (this.#proteins.count > maxSequences)
      throw new FormatError({
        line,
        record: null,
        reason: `more than ${maxSequences} sequences; split the file`,
      });
  }
}

/** Says that letters are missing or too many: places in the record would mean others, and a protein would be another one. */
function lengthFault({ statedLength, line }: OpenRecord, length: number, unit: string): string | null {
  return statedLength === null || statedLength === length
    ? null
    : `its record states ${statedLength} ${unit} and has ${length} (line ${line})`;
}

type ProteinAbout = Parameters<typeof proteinRecord>[0];

/** Recognises a heading of NCBI, which puts ten lines before the first record of a file of a release. */
export function isReleaseHeading(line: string): boolean {
  return /^[\w.-]+\s+Genetic Sequence Data Bank\s*$/.test(line);
}

const isPseudo = ({ qualifiers }: OpenFeature) =>
  qualifiers.some(([name]) => name === 'pseudo' || name === 'pseudogene');

/** Returns the name of the gene that a feature belongs to; features without a name have only their place. */
const geneOf = (feature: OpenFeature) =>
  valueOf(feature, 'locus_tag') ?? valueOf(feature, 'gene') ?? feature.location;

function valueOf({ qualifiers }: OpenFeature, name: string): string | null {
  return qualifiers.find(([own]) => own === name)?.[1] ?? null;
}

function describeProduct(entry: ProteinEntry, feature: OpenFeature): void {
  if (feature.key === 'Protein') entry.product ??= valueOf(feature, 'product');
  if (feature.key === 'CDS') entry.gene ??= valueOf(feature, 'gene') ?? valueOf(feature, 'locus_tag');
}

function describeSource(record: OpenRecord, { qualifiers }: OpenFeature): void {
  for (const [name, value] of qualifiers) {
    if (name === 'organism') record.organism ??= value;
    const taxon = name === 'db_xref' ? /^taxon:(\d{1,9})$/.exec(value)?.[1] : undefined;
    if (taxon !== undefined) record.taxonId ??= Number(taxon);
  }
}

/** Adds a line to a feature: a part of its location, of an unfinished value, or a new qualifier. */
function extend(feature: OpenFeature, text: string): void {
  const last = feature.qualifiers.at(-1);
  if (last !== undefined && feature.open) {
    setValue(feature, last, last[0] === 'translation' ? '' : ' ', text);
  } else if (text.startsWith('/')) {
    const equals = text.indexOf('=');
    const qualifier: [string, string] = [equals < 0 ? text.slice(1) : text.slice(1, equals), ''];
    feature.qualifiers.push(qualifier);
    const value = equals < 0 ? '' : text.slice(equals + 1);
    if (value.startsWith('"')) setValue(feature, qualifier, '', value.slice(1));
    else qualifier[1] = value;
  } else if (last === undefined) feature.location += text;
  else last[1] += text;
}

/**
 * Sets a value, which ends with a quote that is not doubled. Only the new line is checked, because checking the whole value for each line
 * would cost its length squared.
 */
function setValue(feature: OpenFeature, qualifier: [string, string], glue: string, line: string): void {
  let end = line.length;
  while (end > 0 && line[end - 1] === '"') end--;
  feature.open = (line.length - end) % 2 === 0;
  const value = qualifier[1] + glue + line;
  qualifier[1] = feature.open ? value : value.slice(0, -1).replaceAll('""', '"');
}

function exceptionsOf({ qualifiers }: OpenFeature): Map<number, string> {
  const found = qualifiers.filter(([name]) => name === 'transl_except');
  return new Map(found.flatMap(([, value]) => translationExceptions(value)));
}
