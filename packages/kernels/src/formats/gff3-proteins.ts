import {
  CodingBudget,
  type CodingPart,
  type CodingSequence,
  proteinRecord,
  translate,
  translationException,
} from './coding-sequence.js';
import type { FastaRecord } from './fasta.js';
import type { ProteinReadOptions } from './flat-file.js';
import { FormatError, type Rejection } from './format-error.js';
import { gff3Column9 } from './gff3-read.js';
import { lineBatches, type TextSource } from './lines.js';
import { ProteinsOnce } from './proteins-once.js';
import { emptyBatch, type ParsedBatch } from './read-batches.js';

/** Genomes come with a chromosome in one line: as long as a string may be. */
const maxLineLength = 2 ** 29 - 24;

/** Nucleotide sequences by name, in capitals. */
export type Genome = ReadonlyMap<string, string>;

export interface Gff3ProteinOptions extends ProteinReadOptions {
  /** Genetic code of features without `transl_table`. @default 1 */
  table?: number;
}

interface OpenCoding extends Omit<CodingSequence, 'parts' | 'phase' | 'organism' | 'taxonId'> {
  sequence: string;
  lines: { part: CodingPart; phase: number }[];
  isPseudo: boolean;
}

/**
 * The proteins of a GFF3 file and its genome: CDS lines of one ID (without ID, of one parent) are joined in the direction of their strand, from the
 * phase of the first, and translated by their `transl_table`. A protein is named by `protein_id`, else by its ID or Parent without
 * `cds-`, `gene-` or `rna-`. The genome may follow after `##FASTA` instead.
 *
 * Memory: all CDS lines and the genome. Source: the GFF3 specification 1.26 of the Sequence Ontology.
 *
 * @throws FormatError a line that is too long, more than `maxSequences`; other faults are rejections
 */
export async function readGff3Proteins(
  source: TextSource,
  genome: Genome | null,
  options: Gff3ProteinOptions = {},
): Promise<ParsedBatch<FastaRecord>> {
  const reader = new Gff3Codings(options.table ?? 1);
  for await (const { firstLine, lines } of lineBatches(source, { maxLineLength, ...options }))
    for (let i = 0; i < lines.length; i++) reader.read(lines[i], firstLine + i);
  return reader.proteins(genome, options);
}

/** Reads a genome: FASTA of nucleotides, each sequence under the first word of its header. @throws FormatError */
export async function readGenome(source: TextSource, options: ProteinReadOptions = {}): Promise<Genome> {
  const reader = new GenomeReader();
  for await (const { firstLine, lines } of lineBatches(source, { maxLineLength, ...options }))
    for (let i = 0; i < lines.length; i++) reader.read(lines[i], firstLine + i);
  return reader.finish();
}

class GenomeReader {
  readonly #parts = new Map<string, string[]>();
  #open: string[] | null = null;

  read(line: string, lineNumber: number): void {
    if (line.startsWith('>')) {
      const name = line.slice(1).trim().split(/\s/, 1)[0];
      if (name === '' || this.#parts.has(name))
        throw new FormatError({
          line: lineNumber,
          record: name || null,
          reason: name === '' ? 'a sequence without a name after ">"' : `the sequence ${name} occurs twice`,
        });
      this.#open = [];
      this.#parts.set(name, this.#open);
    } else if (this.#open !== null) this.#open.push(line.replaceAll(/\s/g, '').toUpperCase());
    else if (line.trim() !== '')
      throw new FormatError({
        line: lineNumber,
        record: null,
        reason: 'a genome is FASTA: each sequence starts with a ">" line',
      });
  }

  finish(): Genome {
    return new Map([...this.#parts].map(([name, parts]) => [name, parts.join('')]));
  }
}

class Gff3Codings {
  readonly #table: number;
  readonly #codings = new Map<string, OpenCoding>();
  readonly #circular = new Set<string>();
  readonly #rejected: Rejection[] = [];
  #taxonId: number | null = null;
  #genome: GenomeReader | null = null;
  #line = 0;

  constructor(table: number) {
    this.#table = table;
  }

  read(line: string, lineNumber: number): void {
    this.#line = lineNumber;
    if (this.#genome !== null) this.#genome.read(line, lineNumber);
    else if (line.startsWith('##FASTA') || line.startsWith('>')) {
      this.#genome = new GenomeReader();
      if (line.startsWith('>')) this.#genome.read(line, lineNumber);
    } else if (line.startsWith('##species')) {
      const id = /(?:[?&]id=|NCBITaxon_)(\d{1,9})/.exec(line)?.[1];
      if (id !== undefined) this.#taxonId ??= Number(id);
    } else if (line !== '' && !line.startsWith('#')) this.#feature(line.split('\t'), lineNumber);
  }

  #feature(cells: string[], line: number): void {
    if (cells.length !== 9) {
      this.#rejected.push({ line, record: null, reason: `${cells.length} columns, not the 9 of GFF3` });
      return;
    }
    const [sequence, , kind, start, end, , strand, phase] = cells;
    if (kind !== 'CDS' && kind !== 'region') return;
    const attributes = gff3Column9(cells[8]);
    if (kind === 'region') {
      if (attributes.get('Is_circular')?.[0] === 'true') this.#circular.add(sequence);
      const taxon = attributes.get('Dbxref')?.find((value) => /^taxon:\d{1,9}$/.test(value));
      if (taxon !== undefined) this.#taxonId ??= Number(taxon.slice(6));
      return;
    }
    const part: CodingPart = { start: Number(start), end: Number(end), strand: strand === '-' ? -1 : 1 };
    const isPlace = Number.isInteger(part.start) && Number.isInteger(part.end) && /^[-+]$/.test(strand);
    if (!isPlace || !/^[012.]$/.test(phase)) {
      const reason = `a CDS needs a start, an end, the strand + or -, and the phase 0, 1 or 2; this one has ${start}, ${end}, ${strand}, ${phase}`;
      this.#rejected.push({ line, record: attributes.get('ID')?.[0] ?? null, reason });
      return;
    }
    this.#join({ part, phase: phase === '.' ? 0 : Number(phase) }, { sequence, attributes, line });
  }

  #join(
    piece: OpenCoding['lines'][number],
    { sequence, attributes, line }: { sequence: string; attributes: Map<string, string[]>; line: number },
  ): void {
    const first = (name: string) => attributes.get(name)?.[0] ?? null;
    const id = first('ID') ?? first('Parent') ?? `${sequence}_${piece.part.start}_${piece.part.end}`;
    const key = `${sequence}\t${id}`;
    const known = this.#codings.get(key);
    if (known !== undefined) {
      known.lines.push(piece);
      return;
    }
    const exceptions = (attributes.get('transl_except') ?? []).join(',').split(/\),?(?=\(pos)/);
    this.#codings.set(key, {
      accession: first('protein_id') ?? id.replace(/^(?:cds|gene|rna|mrna|transcript)[-:]/i, ''),
      product: first('product'),
      gene: first('gene'),
      hasStart: first(piece.part.strand === 1 ? 'start_range' : 'end_range') === null,
      table: Number(first('transl_table') ?? this.#table),
      exceptions: new Map(
        exceptions.flatMap((text) => {
          const found = translationException(text);
          return found === null ? [] : [[found.base, found.residue] as const];
        }),
      ),
      line,
      sequence,
      lines: [piece],
      isPseudo: first('pseudo') === 'true' || first('pseudogene') !== null,
    });
  }

  proteins(given: Genome | null, options: Gff3ProteinOptions): ParsedBatch<FastaRecord> {
    const batch = emptyBatch<FastaRecord>({}, this.#line);
    batch.rejected = this.#rejected;
    const genome = given ?? this.#genome?.finish() ?? new Map<string, string>();
    const proteins = new ProteinsOnce();
    const budgets = new Map([...genome].map(([name, bases]) => [name, new CodingBudget(bases.length)]));
    const { maxSequences = Infinity, maxResidues = Infinity, onLeftOut = () => {} } = options;
    for (const open of this.#codings.values()) {
      const { line, accession: record, sequence } = open;
      const nucleotides = genome.get(sequence);
      if (nucleotides === undefined) {
        const reason = `the genome has no sequence ${sequence}${genome.size === 0 ? '; give the FASTA file of the genome' : ''}`;
        batch.rejected.push({ line, record, reason });
        continue;
      }
      const tooMuch = budgets.get(sequence)?.spend(open.lines.map(({ part }) => part));
      if (typeof tooMuch === 'string') {
        batch.rejected.push({ line, record, reason: tooMuch });
        break;
      }
      const coding = this.#coding(open);
      const made = open.isPseudo
        ? { reason: 'a pseudogene' }
        : coding === null
          ? { reason: 'its parts are on both strands' }
          : translate(coding, nucleotides, this.#circular.has(sequence));
      if ('reason' in made) onLeftOut({ line, record, reason: made.reason });
      else if (made.residues.length > maxResidues)
        batch.rejected.push({ line, record, reason: `more than ${maxResidues} residues` });
      else proteins.add(proteinRecord(coding as CodingSequence, made.residues), batch);
      if (proteins.count > maxSequences)
        throw new FormatError({
          line,
          record: null,
          reason: `more than ${maxSequences} sequences; split the file`,
        });
    }
    if (this.#codings.size === 0 && batch.rejected.length === 0)
      batch.rejected.push({
        line: Math.max(this.#line, 1),
        record: null,
        reason: 'no CDS feature: there is nothing to translate',
      });
    return batch;
  }

  /** Null: its parts are on both strands. */
  #coding({ lines, ...about }: OpenCoding): CodingSequence | null {
    const { strand } = lines[0].part;
    if (lines.some(({ part }) => part.strand !== strand)) return null;
    const sorted = [...lines].sort((a, b) => strand * (a.part.start - b.part.start));
    const [{ phase }] = sorted;
    return {
      ...about,
      organism: null,
      taxonId: this.#taxonId,
      parts: sorted.map(({ part }) => part),
      phase,
      hasStart: about.hasStart && phase === 0,
    };
  }
}
