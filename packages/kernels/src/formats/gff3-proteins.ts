import { CodingBudget, proteinRecord, translate } from './coding-sequence.js';
import type { FastaRecord } from './fasta.js';
import type { ProteinReadOptions } from './flat-file.js';
import { FormatError, type Rejection } from './format-error.js';
import { type Gff3Coding, Gff3Codings } from './gff3-codings.js';
import { gff3Column9 } from './gff3-read.js';
import { lineBatches, type TextSource } from './lines.js';
import { ProteinsOnce } from './proteins-once.js';
import { emptyBatch, type ParsedBatch } from './read-batches.js';

/** The maximum length of a line, which is that of a string: some genomes have a chromosome in one line. */
const maxLineLength = 2 ** 29 - 24;

/**
 * The type of a line of a coding sequence: a name of the Sequence Ontology or its accession. gffread accepts any case, so Kindred does,
 * too.
 */
const codingType = /^(?:CDS|SO:0000316)$/i;

/** The nucleotide sequences by name, in capitals. */
export type Genome = ReadonlyMap<string, string>;

export interface Gff3ProteinOptions extends ProteinReadOptions {
  /** The genetic code where the file states none. @default 11 for genes of Prodigal, else 1 */
  table?: number;
}

/**
 * Reads the proteins of a GFF3 file and its genome. The CDS lines of a parent (a line may have several; without a parent, those of an ID)
 * are joined in the direction of their strand, from the phase of the first line, and translated by their `transl_table`. Lines of a
 * parent are several proteins where they have several protein_ids, or IDs that lines share. A protein is named by `protein_id`, else by
 * its ID, or by its Parent where the IDs name lines, without `cds-`, `gene-` or `rna-`. The genome may follow after `##FASTA` instead.
 *
 * The memory is all CDS lines and the genome. The source is the GFF3 specification 1.26 of the Sequence Ontology.
 *
 * @throws FormatError for a line that is too long, or more than `maxSequences` proteins; other faults are rejections
 */
export async function readGff3Proteins(
  source: TextSource,
  genome: Genome | null,
  options: Gff3ProteinOptions = {},
): Promise<ParsedBatch<FastaRecord>> {
  const reader = new Gff3Reader(options.table ?? null);
  for await (const { firstLine, lines } of lineBatches(source, { maxLineLength, ...options }))
    for (let i = 0; i < lines.length; i++) reader.read(lines[i], firstLine + i);
  return reader.proteins(genome, options);
}

/** Reads a genome from FASTA of nucleotides; each sequence is found by the first word of its header. @throws FormatError */
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

class Gff3Reader {
  readonly #circular = new Set<string>();
  readonly #rejected: Rejection[] = [];
  readonly #codings: Gff3Codings;
  #taxonId: number | null = null;
  /** The genetic code that Prodigal states in a comment before the genes of a contig. */
  #statedTable: number | null = null;
  #genome: GenomeReader | null = null;
  #line = 0;

  constructor(table: number | null) {
    this.#codings = new Gff3Codings(table, this.#rejected);
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
    } else if (line.startsWith('# Model Data:')) {
      const table = /[;\s]transl_table=(\d{1,2})(?:;|$)/.exec(line)?.[1];
      this.#statedTable = table === undefined ? null : Number(table);
    } else if (line !== '' && !line.startsWith('#')) this.#feature(line.split('\t'), lineNumber);
  }

  #feature(cells: string[], line: number): void {
    // Empty cells after the last column are harmless.
    while (cells.length > 9 && cells[cells.length - 1].trim() === '') cells.pop();
    if (cells.length !== 9) {
      this.#rejected.push({ line, record: null, reason: `${cells.length} columns, not the 9 of GFF3` });
      return;
    }
    if (codingType.test(cells[2])) {
      this.#codings.add(cells, line, this.#statedTable);
      return;
    }
    this.#codings.addOther(cells);
    // The feature of a whole sequence is a region in files of NCBI, a chromosome or a plasmid in those of Ensembl.
    if (cells[2] !== 'region' && !cells[8].includes('Is_circular')) return;
    const attributes = gff3Column9(cells[8]);
    if (attributes.get('Is_circular')?.[0].toLowerCase() === 'true') this.#circular.add(cells[0]);
    if (cells[2] !== 'region') return;
    const taxon = attributes.get('Dbxref')?.find((value) => /^taxon:\d{1,9}$/.test(value));
    if (taxon !== undefined) this.#taxonId ??= Number(taxon.slice(6));
  }

  proteins(given: Genome | null, options: Gff3ProteinOptions): ParsedBatch<FastaRecord> {
    const batch = emptyBatch<FastaRecord>({}, this.#line);
    batch.rejected = this.#rejected;
    const genome = given ?? this.#genome?.finish() ?? new Map<string, string>();
    const budgets = new Map([...genome].map(([name, bases]) => [name, new CodingBudget(bases.length)]));
    const proteins = new ProteinsOnce();
    const { maxSequences = Infinity, maxResidues = Infinity, onLeftOut = () => {} } = options;
    const ringOf = (sequence: string) =>
      this.#circular.has(sequence) ? (genome.get(sequence)?.length ?? null) : null;
    for (const one of this.#codings.codings(ringOf)) {
      const { line, accession: record } = one.coding;
      const nucleotides = genome.get(one.sequence);
      if (nucleotides === undefined) {
        const reason = `the genome has no sequence ${one.sequence}${genome.size === 0 ? '; give the FASTA file of the genome' : ''}`;
        batch.rejected.push({ line, record, reason });
        continue;
      }
      const tooMuch = budgets.get(one.sequence)?.spend(one.coding.parts);
      if (typeof tooMuch === 'string') {
        batch.rejected.push({ line, record, reason: tooMuch });
        break;
      }
      const made = translated(one, nucleotides, this.#circular.has(one.sequence));
      if ('reason' in made) onLeftOut({ line, record, reason: made.reason });
      else if (made.residues.length > maxResidues)
        batch.rejected.push({ line, record, reason: `more than ${maxResidues} residues` });
      else proteins.add(proteinRecord({ ...one.coding, taxonId: this.#taxonId }, made.residues), batch);
      if (proteins.count > maxSequences)
        throw new FormatError({
          line,
          record: null,
          reason: `more than ${maxSequences} sequences; split the file`,
        });
    }
    if (this.#codings.isEmpty && batch.rejected.length === 0)
      batch.rejected.push({
        line: Math.max(this.#line, 1),
        record: null,
        reason: 'no CDS feature: there is nothing to translate',
      });
    return batch;
  }
}

/**
 * Translates a coding sequence. Phases that do not fit count only where the joined lines are not an open reading frame up to a stop,
 * because many files have wrong phases.
 */
function translated(
  { coding, fault, misfit }: Gff3Coding,
  nucleotides: string,
  isCircular: boolean,
): { residues: string } | { reason: string } {
  if (fault !== null) return { reason: fault };
  const made = translate(coding, nucleotides, isCircular);
  if ('residues' in made && (misfit === null || made.endsInStop)) return made;
  const fromFirst = coding.phase === 0 ? null : translate({ ...coding, phase: 0 }, nucleotides, isCircular);
  const reasons = [
    'reason' in made ? made.reason : null,
    misfit,
    fromFirst !== null && 'residues' in fromFirst && fromFirst.endsInStop ? codonStart : null,
  ];
  return { reason: reasons.filter((reason) => reason !== null).join('; ') };
}

const codonStart =
  'from its first base the frame is open up to a stop, so the file seems to have /codon_start (1 to 3) where the phase (0 to 2) belongs';
