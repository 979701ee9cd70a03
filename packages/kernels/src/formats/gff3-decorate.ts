import type { KnownTerm } from '../answer/index.js';
import { isFromSequenceAlone } from '../combined/vocabulary/probability-meaning.js';
import { type CrossReferences, referencesOfProtein } from '../cross-references/index.js';
import { aspectsAsRead, namespaceOf } from '../vocabulary/index.js';
import type { OntologyAspect } from './aspect.js';
import { oneWord } from './coding-sequence.js';
import { isProdigal } from './gff3-codings.js';
import { gff3Column9 } from './gff3-read.js';
import { gff3Value } from './gff3-write.js';
import { isUniprotAccession } from './predicted-annotation.js';

/** The attributes that have lists of values. */
const listed = ['Ontology_term', 'Dbxref', 'ec_number', 'Note', 'predicted', 'predicted_name'] as const;

/** The attributes that the lines of a protein gain, with the values of each; `product` is for lines that have none. */
export type LineAnnotation = Readonly<Record<(typeof listed)[number], readonly string[]>> & {
  readonly product: string | null;
};

/** The part of an answer that its lines show. */
interface ShownAnswer {
  protein_name: string | null;
  predicted_name: { name: string } | null;
  known: {
    accession: string;
    terms: readonly (Pick<KnownTerm, 'go_id' | 'name' | 'aspect' | 'is_negated'> & CrossReferences)[];
  } | null;
  terms: readonly (CrossReferences & {
    go_id: string;
    name: string;
    aspect: OntologyAspect;
    score: number;
    probability: number | null;
    calibrated_on: string | null;
    is_known: boolean | null;
    folded_under: string | null;
  })[];
}

/**
 * Gives what the lines of a protein gain from its answer: its terms, those of them that are predicted, the protein of UniProtKB that it
 * is, its EC numbers and reactions of Rhea, its name or the predicted one, and a note of the first term of each aspect.
 */
export function lineAnnotation(answer: ShownAnswer): LineAnnotation {
  const { protein_name: product, predicted_name, known, terms } = answer;
  const own = (known?.terms ?? []).filter((term) => !term.is_negated);
  const beyond = terms.filter((term) => term.is_known !== true);
  const predicted = beyond.map((term) => term.go_id);
  const accession = known?.accession;
  const { ecNumbers, rheaReactions } = referencesOfProtein(known?.terms ?? [], terms);
  return {
    Ontology_term: [...own.map((term) => term.go_id), ...predicted],
    Dbxref: [
      ...(accession !== undefined && isUniprotAccession(accession) ? [`UniProtKB:${accession}`] : []),
      ...rheaReactions.map((number) => `RHEA:${number}`),
    ],
    ec_number: ecNumbers,
    Note: aspectsAsRead.flatMap((aspect) => {
      const name = namespaceOf[aspect].replace('_', ' ');
      const first = own.find((term) => term.aspect === aspect);
      if (first !== undefined) return [`Known ${name}: ${first.name}`];
      const best = beyond.find((term) => term.aspect === aspect);
      return best === undefined ? [] : [`Predicted ${name}: ${best.name} (${measureOf(best)})`];
    }),
    product,
    predicted,
    predicted_name: predicted_name === null ? [] : [predicted_name.name],
  };
}

function measureOf({
  probability,
  score,
  calibrated_on,
}: Pick<ShownAnswer['terms'][number], 'probability' | 'score' | 'calibrated_on'>): string {
  const alone = isFromSequenceAlone(calibrated_on) ? ', from the sequence alone' : '';
  return probability === null
    ? `score ${Number(score.toPrecision(2))}`
    : `probability ${Number(probability.toPrecision(2))}${alone}`;
}

/** Types of lines that stand for a protein, in small letters: names of the Sequence Ontology and their accessions. */
const codingTypes: ReadonlySet<string> = new Set(['cds', 'so:0000316']);
const geneTypes: ReadonlySet<string> = new Set(['gene', 'so:0000704']);
const proteinTypes: ReadonlySet<string> = new Set([
  ...codingTypes,
  ...geneTypes,
  ...['polypeptide', 'so:0000104', 'mrna', 'so:0000234', 'transcript', 'so:0000673'],
]);
/** Attributes that may name a protein, the best first. A Parent names it for a CDS alone. */
const nameAttributes = [
  'protein_id',
  'Dbxref',
  'db_xref',
  'ID',
  'Name',
  'locus_tag',
  'gene',
  'Alias',
] as const;

/** A text that a line gains at a place. */
export interface Insertion {
  at: number;
  text: string;
}

/**
 * Finds the lines of a GFF3 file that belong to proteins, and what they gain. A line gains attributes, and values of attributes that it
 * has; nothing of it is lost or changed.
 *
 * A line of a CDS, transcript, gene or polypeptide belongs to a protein if its protein_id, a cross-reference, its ID, Name or locus_tag
 * or, of a CDS, its Parent is the accession of the protein. The prefix of the kind (`cds-`, `transcript:`) and a version may be missing
 * on either side. Prodigal numbers the contigs in its IDs (`2_7`), and names its proteins by the contig (`contig_7`).
 */
export class Gff3Decorator {
  readonly #annotations: ReadonlyMap<string, LineAnnotation>;
  /** The accession by the accession without its version; null where several have it. */
  readonly #unversioned = new Map<string, string | null>();
  readonly #placed = new Set<string>();
  #strangers = 0;
  #inSequences = false;

  constructor(annotations: ReadonlyMap<string, LineAnnotation>) {
    this.#annotations = annotations;
    for (const accession of annotations.keys()) {
      const bare = withoutVersion(accession);
      if (bare !== accession) this.#unversioned.set(bare, this.#unversioned.has(bare) ? null : accession);
    }
  }

  /** Returns the proteins that the file has a line of. */
  get placed(): ReadonlySet<string> {
    return this.#placed;
  }

  /** Counts the lines of coding sequences that belong to none of the proteins. */
  get strangers(): number {
    return this.#strangers;
  }

  /** Gives what a line, with or without its line end, gains, by rising place. */
  insertions(line: string): Insertion[] {
    if (this.#inSequences || line.startsWith('#') || line.startsWith('>')) {
      this.#inSequences ||= line.startsWith('>') || line.startsWith('##FASTA');
      return [];
    }
    const cells = line.split('\t', 9);
    const type = cells[2]?.toLowerCase() ?? '';
    if (cells.length < 9 || !proteinTypes.has(type)) return [];
    const column = cells[8].trimEnd();
    const attributes = gff3Column9(column);
    const accessions = this.#proteinsOf(cells, type, attributes);
    for (const accession of accessions) this.#placed.add(accession);
    if (accessions.length === 0 && codingTypes.has(type)) this.#strangers++;
    const gained = gainedBy(
      attributes,
      accessions.map((accession) => this.#annotations.get(accession) as LineAnnotation),
      geneTypes.has(type),
    );
    const start = cells.slice(0, 8).reduce((length, cell) => length + cell.length + 1, 0);
    return inserted(column, gained).map(({ at, text }) => ({ at: at + start, text }));
  }

  #proteinsOf(
    cells: readonly string[],
    type: string,
    attributes: ReadonlyMap<string, readonly string[]>,
  ): string[] {
    const numbered = isProdigal(cells[1]) ? /^\d+(_\d+)$/.exec(attributes.get('ID')?.[0] ?? '') : null;
    const byContig = numbered === null ? undefined : this.#accessionOf(`${cells[0]}${numbered[1]}`);
    if (byContig !== undefined) return [byContig];
    for (const name of codingTypes.has(type) ? [...nameAttributes, 'Parent'] : nameAttributes) {
      const found = (attributes.get(name) ?? []).map((value) => this.#accessionOf(value));
      const accessions = found.filter((accession) => accession !== undefined);
      if (accessions.length > 0) return [...new Set(accessions)];
    }
    return [];
  }

  #accessionOf(value: string): string | undefined {
    const bare = value.slice(value.lastIndexOf(':') + 1);
    const plain = bare.replace(/^(?:cds|rna|mrna|gene|transcript)-/i, '');
    const forms = [value, bare, plain, withoutVersion(bare), withoutVersion(plain), oneWord(value)];
    return (
      forms.find((form) => this.#annotations.has(form)) ??
      [bare, plain].map((form) => this.#unversioned.get(form)).find((accession) => accession != null) ??
      undefined
    );
  }
}

const withoutVersion = (accession: string) => accession.replace(/\.\d+$/, '');

/** Gives the values that a line lacks, by their attribute. */
function gainedBy(
  attributes: ReadonlyMap<string, readonly string[]>,
  annotations: readonly LineAnnotation[],
  isGene: boolean,
): Map<string, string[]> {
  const gained = new Map<string, string[]>();
  for (const name of listed) {
    const existing = [
      ...(attributes.get(name) ?? []),
      ...(name === 'Dbxref' ? (attributes.get('db_xref') ?? []) : []),
    ];
    const known = new Set(existing.map((value) => comparable(name, value)));
    const values = new Set(annotations.flatMap((annotation) => annotation[name]));
    gained.set(
      name,
      [...values].filter((value) => !known.has(comparable(name, value))),
    );
  }
  // A gene has no product of its own, and a line that names one says what its file knows.
  if (isGene) gained.delete('predicted_name');
  const product = annotations.find((annotation) => annotation.product !== null)?.product ?? null;
  if (product !== null && !isGene && !attributes.has('product')) gained.set('product', [product]);
  return gained;
}

/** Files write terms in quotation marks, and UniProtKB as UniProtKB/Swiss-Prot. */
function comparable(name: string, value: string): string {
  if (name === 'Ontology_term') return value.replaceAll('"', '');
  return name === 'Dbxref' && /^uniprot/i.test(value) ? value.slice(value.lastIndexOf(':') + 1) : value;
}

/** Puts values behind those of an attribute that is there, and other attributes behind the last. */
function inserted(column: string, gained: ReadonlyMap<string, readonly string[]>): Insertion[] {
  const insertions: Insertion[] = [];
  const places = placesIn(column);
  let more = '';
  for (const [name, values] of gained) {
    if (values.length === 0) continue;
    const place = places.get(name);
    const text = values.map(gff3Value).join(',');
    if (place === undefined) more += `;${name}=${text}`;
    else insertions.push({ at: place.end, text: place.isEmpty ? text : `,${text}` });
  }
  insertions.sort((a, b) => a.at - b.at);
  if (more !== '') insertions.push({ at: column.length, text: column.endsWith(';') ? more.slice(1) : more });
  return insertions;
}

/** Finds where the values of each attribute end in column 9; of an attribute that is given twice, the first. */
function placesIn(column: string): Map<string, { end: number; isEmpty: boolean }> {
  const places = new Map<string, { end: number; isEmpty: boolean }>();
  let start = 0;
  for (const part of column.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    const end = start + part.trimEnd().length;
    if (name !== '' && !places.has(name)) places.set(name, { end, isEmpty: end === start + equals + 1 });
    start += part.length + 1;
  }
  return places;
}
