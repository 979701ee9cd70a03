import { groupedBy } from '../arrays/index.js';
import { type CodingSequence, translationExceptions } from './coding-sequence.js';
import type { CodingPart } from './feature-location.js';
import type { Rejection } from './format-error.js';
import { Gff3Marks, saysOpen } from './gff3-marks.js';
import { gff3Column9 } from './gff3-read.js';

interface CodingLine {
  part: CodingPart;
  /** The phase; null if the file does not say. */
  phase: number | null;
  line: number;
  id: string | null;
  parent: string | null;
  proteinId: string | null;
  product: string | null;
  gene: string | null;
  /** The gene that the line belongs to, by its name in the file. */
  ofGene: string | null;
  table: number | null;
  /** The genetic code if no line of the protein names one. */
  defaultTable: number;
  exceptions: readonly string[];
  isPseudo: boolean;
  /** Whether the coding sequence begins before this line's 5' end. */
  isOpen: boolean;
  isTransSpliced: boolean;
  /** The place among the parts of a trans-spliced coding sequence. */
  order: number | null;
  /** The number of parts by the file; null if the file does not say. */
  partCount: number | null;
}

/** A coding sequence, or the reason why its lines do not make one. */
export interface Gff3Coding {
  coding: CodingSequence;
  /** The name of the nucleotide sequence. */
  sequence: string;
  /** The reason why the lines make no coding sequence; null if they make one. */
  fault: string | null;
  /** The reason why the phases forbid joining the parts; null if they do not. */
  misfit: string | null;
}

/** The longest slip in bases. Ribosomes slip back by one or two bases, so more than that is something else. */
const longestSlip = 2;

/** Gathers CDS lines and joins those of one protein. */
export class Gff3Codings {
  readonly #table: number | null;
  /** The lines by sequence and parent, or by sequence and ID. */
  readonly #groups = new Map<string, CodingLine[]>();
  /**
   * The parent of each ID, to find IDs whose lines belong to several parents, or to a parent with lines of other IDs. Such IDs name lines
   * or places, not proteins.
   */
  readonly #parentsOfId = new Map<string, string>();
  readonly #sharedIds = new Set<string>();
  /** The pseudogenes and their transcripts, by sequence and ID. */
  readonly #pseudogenes = new Set<string>();
  readonly #marks = new Gff3Marks();
  readonly #rejected: Rejection[];
  #gtfSeen = false;

  /** @param table the genetic code where the file states none; null for that of the program that made the lines */
  constructor(table: number | null, rejected: Rejection[]) {
    this.#table = table;
    this.#rejected = rejected;
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** @param cells the nine columns of a line that is not a CDS, such as a pseudogene or a transcript of one */
  addOther(cells: readonly string[]): void {
    const [sequence, , type, , , , , , column9] = cells;
    this.#marks.add(cells);
    const mayBePseudo = /pseudogen/i.test(type) || /pseudo/i.test(column9);
    if ((!mayBePseudo && this.#pseudogenes.size === 0) || /exon|utr|codon/i.test(type)) return;
    const attributes = gff3Column9(column9);
    const id = attributes.get('ID')?.[0];
    if (id === undefined) return;
    const isPseudo = /pseudogen/i.test(type) || saysPseudo(attributes);
    if (isPseudo || this.#isOfPseudogene(sequence, attributes.get('Parent') ?? []))
      this.#pseudogenes.add(`${sequence}\t${id}`);
  }

  #isOfPseudogene(sequence: string, parents: readonly string[]): boolean {
    return parents.some((parent) => this.#pseudogenes.has(`${sequence}\t${parent}`));
  }

  /**
   * @param cells the nine columns of a CDS line
   * @param statedTable the genetic code that the file states for lines that name none; null if it states none
   */
  add(cells: readonly string[], line: number, statedTable: number | null): void {
    const [sequence, source, , start, end, , strand, phase, column9] = cells;
    if (isGtf(column9)) {
      if (!this.#gtfSeen) this.#rejected.push({ line, record: null, reason: gtfReason });
      this.#gtfSeen = true;
      return;
    }
    const attributes = gff3Column9(column9);
    const part: CodingPart = { start: Number(start), end: Number(end), strand: strand === '-' ? -1 : 1 };
    const isPlace = Number.isInteger(part.start) && Number.isInteger(part.end) && /^[-+]$/.test(strand);
    if (!isPlace || !/^[012.]$/.test(phase)) {
      const reason = `a CDS needs a start, an end, the strand + or -, and the phase 0, 1 or 2; this one has ${start}, ${end}, ${strand}, ${phase}`;
      this.#rejected.push({ line, record: attributes.get('ID')?.[0] ?? null, reason });
      return;
    }
    const about = describe(attributes, part, line);
    const defaultTable = statedTable ?? this.#table ?? (isProdigal(source) ? 11 : 1);
    const coding = { ...about, defaultTable, phase: phase === '.' ? null : Number(phase) };
    const given = attributes.get('Parent') ?? attributes.get('parent');
    const transcript = coding.id === null ? attributes.get('transcript_id') : undefined;
    const parents = [...new Set(given ?? transcript ?? [])].filter((parent) => parent !== '');
    for (const parent of parents) {
      this.#noteParent(coding.id, parent);
      this.#put(`${sequence}\t${parent}\tparent`, { ...coding, parent });
    }
    if (parents.length === 0)
      this.#put(`${sequence}\t${coding.id ?? `${sequence}_${part.start}_${part.end}`}\t`, coding);
  }

  #put(key: string, line: CodingLine): void {
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, [line]);
    else known.push(line);
  }

  #noteParent(id: string | null, parent: string): void {
    if (id === null) return;
    const known = this.#parentsOfId.get(id);
    if (known === undefined) this.#parentsOfId.set(id, parent);
    else if (known !== parent) this.#sharedIds.add(id);
  }

  /**
   * Gives the codings in the order of their first lines.
   * @param ringOf the length of a circular sequence; null for the others
   */
  *codings(ringOf: (sequence: string) => number | null): Generator<Gff3Coding> {
    const groups = [...this.#groups].map(([key, lines]) => ({ key, proteins: proteinsOf(lines) }));
    const idsNameLines = groups.some(({ proteins }) =>
      proteins.some((lines) => lines[0].parent !== null && lines.some(({ id }) => id !== lines[0].id)),
    );
    for (const { key, proteins } of groups) {
      const [sequence, name] = key.split('\t');
      const about = { sequence, name, idsNameLines, ring: ringOf(sequence), isShared: proteins.length > 1 };
      for (const lines of proteins) yield this.#join(lines, about);
    }
  }

  #join(
    lines: CodingLine[],
    {
      sequence,
      name,
      idsNameLines,
      ring,
      isShared,
    }: {
      sequence: string;
      name: string;
      idsNameLines: boolean;
      ring: number | null;
      /** Whether the parent has other proteins, too, so that its name belongs to none of them. */
      isShared: boolean;
    },
  ): Gff3Coding {
    const { parts, fault } = inOrder(lines, ring);
    const [first] = parts;
    const known = <T>(of: (line: CodingLine) => T | null) =>
      parts.map(of).find((value) => value !== null) ?? null;
    const { parent, ofGene } = lines[0];
    const id = lines.every((line) => line.id === lines[0].id) || !isShared ? lines[0].id : ofGene;
    const isOfParent =
      parent !== null &&
      !(isShared && id !== null) &&
      (id === null || idsNameLines || this.#sharedIds.has(id) || isDerivedFrom(id, parent));
    const coding: CodingSequence = {
      accession: known(({ proteinId }) => proteinId) ?? withoutKind(isOfParent ? parent : (id ?? name)),
      product: known(({ product }) => product),
      gene: known(({ gene }) => gene),
      organism: null,
      taxonId: null,
      parts: parts.map(({ part }) => part),
      phase: first.phase ?? 0,
      hasStart:
        !first.isOpen && (first.phase ?? 0) === 0 && !this.#marks.isOpen(sequence, parent, first.part),
      table: known(({ table }) => table) ?? first.defaultTable,
      exceptions: new Map([
        ...this.#marks.residues(sequence, first.part.strand),
        ...parts.flatMap(({ exceptions }) => exceptions.flatMap(translationExceptions)),
      ]),
      line: lines[0].line,
    };
    // A protein_id counts for more than the name of the gene, because the database that gave it knows the protein.
    const isPseudo =
      lines.some((line) => line.isPseudo) ||
      (parent !== null &&
        lines.every(({ proteinId }) => proteinId === null) &&
        this.#isOfPseudogene(sequence, [parent]));
    return { coding, sequence, fault: isPseudo ? 'a pseudogene' : fault, misfit: misfitOf(parts) };
  }
}

function describe(
  attributes: ReadonlyMap<string, string[]>,
  part: CodingPart,
  line: number,
): Omit<CodingLine, 'phase' | 'defaultTable'> {
  const first = (name: string) => attributes.get(name)?.[0] ?? null;
  const isForward = part.strand === 1;
  // Prodigal writes two digits, which mark the left and the right edge.
  const edges = /^[01]{2}$/.exec(first('partial') ?? '')?.[0] ?? '00';
  const exception = (attributes.get('exception') ?? []).join(',');
  const [, order, partCount] = /^(\d{1,9})(?:\/(\d{1,9}))?/.exec(first('part') ?? '') ?? [];
  const table = first('transl_table');
  return {
    part,
    line,
    id: first('ID') || first('id') || null,
    parent: null,
    proteinId: first('protein_id') || null,
    product: first('product'),
    gene: first('gene'),
    ofGene: first('Derives_from') ?? first('locus_tag') ?? first('gene'),
    table: table === null ? null : Number(table.replaceAll('"', '') || Number.NaN),
    exceptions: attributes.has('transl_except') ? [(attributes.get('transl_except') ?? []).join(',')] : [],
    isPseudo: saysPseudo(attributes),
    isOpen:
      first(isForward ? 'start_range' : 'end_range') !== null ||
      edges[isForward ? 0 : 1] === '1' ||
      saysOpen(attributes),
    isTransSpliced: /trans[-_ ]splic/i.test(exception) || order !== undefined,
    order: order === undefined ? null : Number(order),
    partCount: partCount === undefined ? null : Number(partCount),
  };
}

/**
 * Divides the lines of a parent by protein. A protein_id of its own makes a protein, and so does an ID that several lines share. Where
 * each line has an ID of its own (BRAKER, FlyBase), the IDs name the lines, and all lines belong to one protein. A single protein_id that
 * only some lines have divides nothing.
 */
function proteinsOf(lines: readonly CodingLine[]): CodingLine[][] {
  const proteinIds = new Set(lines.flatMap(({ proteinId }) => proteinId ?? []));
  const named = proteinIds.size > 1 ? [...groupedBy(lines, ({ proteinId }) => proteinId).values()] : [lines];
  return named.flatMap((ofOne) => {
    const byId = [...groupedBy(ofOne, ({ id }) => id).values()];
    const hasSharedId = byId.some((group) => group.length > 1 && group[0].id !== null);
    return byId.length > 1 && hasSharedId ? byId : byGene([...ofOne]);
  });
}

/** Divides the lines of a transcript of several genes. A gene that only some lines name divides nothing. */
function byGene(lines: CodingLine[]): CodingLine[][] {
  if (lines.some(({ ofGene }) => ofGene === null)) return [lines];
  return [...groupedBy(lines, ({ ofGene }) => ofGene).values()];
}

/**
 * Returns the lines in the direction of translation: along their strand; those of a trans-spliced sequence by `part`, or else as in the
 * file.
 */
function inOrder(
  lines: readonly CodingLine[],
  ring: number | null,
): { parts: CodingLine[]; fault: string | null } {
  if (lines.some(({ isTransSpliced }) => isTransSpliced)) {
    const isNumbered = lines.every(({ order }) => order !== null);
    const parts = isNumbered ? [...lines].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)) : [...lines];
    return { parts, fault: isNumbered ? missingPart(parts) : null };
  }
  const { strand } = lines[0].part;
  if (lines.some(({ part }) => part.strand !== strand)) {
    const fault = 'its parts are on both strands, and none has exception=trans-splicing or a number in part=';
    return { parts: [...lines], fault };
  }
  const byPlace = [...lines].sort((a, b) => a.part.start - b.part.start);
  const along = ring === null ? byPlace : overOrigin(byPlace, ring);
  const parts = strand === 1 ? along : along.toReversed();
  for (let i = 1; i < byPlace.length; i++) {
    const [left, right] = [byPlace[i - 1], byPlace[i]];
    if (left.part.end - right.part.start + 1 <= longestSlip) continue;
    const places = [left, right].map(({ part, line }) => `${part.start}..${part.end} of line ${line}`);
    return { parts, fault: `${places.join(' and ')} overlap, so they are not parts of one protein` };
  }
  return { parts, fault: null };
}

/**
 * Orders parts of a circular sequence, which goes on at its first base: parts that meet there are neighbours, and the largest gap is on
 * the other side.
 */
function overOrigin(byPlace: CodingLine[], ring: number): CodingLine[] {
  const meets = byPlace[0].part.start === 1 && byPlace.some(({ part }) => part.end === ring);
  if (!meets) return byPlace;
  const gapBefore = (at: number) => byPlace[at].part.start - byPlace[at - 1].part.end;
  let first = 1;
  for (let at = 2; at < byPlace.length; at++) if (gapBefore(at) > gapBefore(first)) first = at;
  return byPlace.length === 1 ? byPlace : [...byPlace.slice(first), ...byPlace.slice(0, first)];
}

/**
 * Says which part is missing. Without one of its parts, which may be in another sequence, a trans-spliced protein would be another one.
 */
function missingPart(parts: readonly CodingLine[]): string | null {
  const numbers = [...new Set(parts.map(({ order }) => order ?? 0))];
  const wanted = Math.max(numbers.length, ...parts.map(({ partCount }) => partCount ?? 0));
  const gap = numbers.findIndex((number, at) => number !== at + 1);
  const missing = gap >= 0 ? gap + 1 : numbers.length < wanted ? numbers.length + 1 : null;
  return missing === null
    ? null
    : `it is trans-spliced, and part ${missing} of it is missing in its sequence (part=${numbers.join(', ')})`;
}

const saysPseudo = (attributes: ReadonlyMap<string, string[]>) =>
  /^true$/i.test(attributes.get('pseudo')?.[0] ?? '') || attributes.has('pseudogene');

/** Says why the phases forbid joining the parts. A file whose phases are all 0 does not state them. */
function misfitOf(parts: readonly CodingLine[]): string | null {
  if (parts.every(({ phase }) => phase === 0 || phase === null)) return null;
  let bases = -(parts[0].phase ?? 0);
  for (const { part, phase, line } of parts) {
    const expected = (3 - (((bases % 3) + 3) % 3)) % 3;
    if (phase !== null && phase !== expected)
      return `line ${line} has phase ${phase}, but the lines before it leave ${expected} ${expected === 1 ? 'base' : 'bases'} of a codon`;
    bases += part.end - part.start + 1;
  }
  return null;
}

/** Prodigal (in Prokka and Bakta, too) translates by code 11 unless it says another one. */
/** Says whether Prodigal, or Pyrodigal, made the line. */
export const isProdigal = (source: string) => /^py?rodigal/i.test(source);

const withoutKind = (id: string) => id.replace(/^(?:cds|gene|rna|mrna|transcript)[-:]/i, '');

/**
 * Recognises names of lines: `g1.t1.cds`, `g1.t1.CDS1`, `t:cds` and `cds.t` (EVidenceModeler, TransDecoder) are lines of `g1.t1` and `t`.
 */
function isDerivedFrom(id: string, parent: string): boolean {
  return (
    (id.startsWith(parent) && /^[._:-]?cds[._:-]?\d*$/i.test(id.slice(parent.length))) ||
    (id.endsWith(parent) && /^cds[._:-]?$/i.test(id.slice(0, -parent.length)))
  );
}

const gtfReason =
  'column 9 has attributes of GTF (transcript_id "..."), not of GFF3 (ID=...;Parent=...); convert the file, for example with "gffread in.gtf -o out.gff3"';

function isGtf(column9: string): boolean {
  return /^\s*[A-Za-z_]\w*\s+"/.test(column9);
}
