import { aspects, ProblemError } from '@kindred/contracts';
import { fromFloat16, GrowingInt32, GrowingUint8 } from '@kindred/kernels/arrays';
import { evidenceGroupOf } from '@kindred/kernels/combined';
import {
  type BankContent,
  type GivenTerms,
  type NumberedSequences,
  noQualifier,
  numberSequences,
  type RowKind,
  sequenceNumber,
} from '../compute/reference-bank.js';
import type { Database } from '../../store/postgres/db.js';
import {
  bankSources,
  bankTerms,
  type DonatedKind,
  DonatedTermReader,
  type DonatedTerms,
  type SourceRow,
  severalVectors,
  vectorBitsOf,
} from '../../store/references/reference-bank.repository.js';
import { evidenceStrength } from './evidence-strength.js';
import { readAhead } from '../../ground/read-ahead.js';
import { Numbering } from '../../ground/numbering.js';

/** A bank belongs to one embedding configuration and one annotation set. */
export interface BankSubject {
  config: { id: string; number: number; model_name: string; dimension: number };
  set: { id: string; number: number; ontology_snapshot_id: string };
}

/** Pages are small enough that decoding one does not block the event loop for long. */
const sequencesPerPage = 500;
const proteinsPerPage = 2000;

/** Reads the content of a bank, except its vectors and terms, which are read while the bank is written. */
export async function referenceBankContent(
  db: Database,
  subject: BankSubject,
  key: string,
): Promise<BankContent> {
  const sources = await bankSources(db, subject.config.number, subject.set.number);
  if (sources.length === 0) {
    throw new ProblemError(
      'conflict',
      `Annotation set ${subject.set.id} has no annotation that may be transferred to other proteins.`,
    );
  }
  const sequences = numberSequences(sources.map((source) => source.sequence_id));
  const { sequenceIds } = sequences;
  const arrays = {
    ...sequences,
    referenceSequence: Int32Array.from(sources, (source) => sequenceNumber(sequences, source.sequence_id)),
    referenceTaxon: Int32Array.from(sources, (source) => source.taxonomy_id ?? 0),
  };
  const origin = {
    key,
    embedding_config_id: subject.config.id,
    annotation_set_id: subject.set.id,
    references: sources.length,
    sequences: sequenceIds.length,
  };
  return {
    dimension: subject.config.dimension,
    arrays,
    accessions: sources.map((source) => source.accession),
    readTerms: () => givenTerms(db, subject, sources),
    vectorCounts: await countVectors(db, subject, sequences),
    vectorBlocks: readVectors(db, subject, sequenceIds),
    origin,
  };
}

/** Counts the vectors of each sequence; each source has one at least. */
async function countVectors(
  db: Database,
  subject: BankSubject,
  sequences: NumberedSequences,
): Promise<Int32Array> {
  const counts = new Int32Array(sequences.sequenceIds.length).fill(1);
  for (const { sequenceId, count } of await severalVectors(db, subject.config.number)) {
    const at = sequenceNumber(sequences, sequenceId);
    if (at >= 0) counts[at] = count;
  }
  return counts;
}

async function* vectorPages(
  db: Database,
  { config }: BankSubject,
  sequenceIds: Float64Array,
): AsyncIterable<Uint16Array> {
  const { number, dimension } = config;
  for (let start = 0; start < sequenceIds.length; start += sequencesPerPage)
    yield await vectorBitsOf(db, number, {
      sequenceIds: sequenceIds.subarray(start, start + sequencesPerPage),
      dimension,
    });
}

async function* readVectors(
  db: Database,
  subject: BankSubject,
  sequenceIds: Float64Array,
): AsyncIterable<Float32Array> {
  for await (const bits of readAhead(vectorPages(db, subject, sequenceIds))) yield fromFloat16(bits);
}

/** Converts float16 bytes of the database to float32. */
export function decodeVector(bytes: Buffer): Float32Array {
  const bits = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return fromFloat16(bits);
}

/** Reads the terms that each source gives, one entry per (source, term) with its strongest evidence. */
export async function givenTerms(
  db: Database,
  subject: Pick<BankSubject, 'set'>,
  sources: SourceRow[],
): Promise<GivenTerms> {
  const terms = await bankTerms(db, subject.set.ontology_snapshot_id);
  const entries = await readEntries(
    db,
    subject,
    sources,
    new Map(terms.map((term, index) => [term.id, index])),
  );
  const { count, start, codes, qualifiers } = entries;
  const columns = {
    term: entries.term.view(),
    evidence: entries.evidence.view(),
    qualifier: entries.qualifier.view(),
    groups: entries.groups.view(),
    kindSet: entries.kindSet.view(),
  };
  const termStart = new Int32Array(sources.length + 1);
  for (let r = 0; r < sources.length; r++) termStart[r + 1] = termStart[r] + count[r];
  const evidenceCodes = [...codes.keys()].sort(byStrength);
  const evidencePlace = [...codes.keys()].map((code) => evidenceCodes.indexOf(code));
  const arrays = {
    termStart,
    terms: new Int32Array(termStart[sources.length]),
    evidence: new Int32Array(termStart[sources.length]),
    qualifier: new Uint8Array(termStart[sources.length]),
    groups: new Uint8Array(termStart[sources.length]),
    kindSet: new Int32Array(termStart[sources.length]),
    termRowId: Int32Array.from(terms, (term) => term.id),
    termAspect: Uint8Array.from(terms, (term) => aspects.indexOf(term.aspect)),
  };
  for (let r = 0; r < sources.length; r++) {
    const [from, end] = [start[r], start[r] + count[r]];
    arrays.terms.set(columns.term.subarray(from, end), termStart[r]);
    arrays.qualifier.set(columns.qualifier.subarray(from, end), termStart[r]);
    arrays.groups.set(columns.groups.subarray(from, end), termStart[r]);
    arrays.kindSet.set(columns.kindSet.subarray(from, end), termStart[r]);
    for (let i = from; i < end; i++)
      arrays.evidence[termStart[r] + i - from] = evidencePlace[columns.evidence[i]];
  }
  const goIds = terms.map((term) => term.go_id);
  const kinds = { kinds: entries.kinds.values, kindSets: entries.kindSets.values };
  return { arrays, texts: { goIds, evidenceCodes, qualifiers: [...qualifiers.keys()], ...kinds } };
}

/** A term of a source has its strongest row, and the groups (a mask) and kinds of all its rows. */
interface GivenTerm {
  term: number;
  row: DonatedKind;
  groups: number;
  kinds: number[];
}

/**
 * Entries keep the order in which they were read. They are stored in columns, because a bank has millions of
 * them.
 */
class Entries {
  readonly term = new GrowingInt32(1 << 16);
  readonly evidence = new GrowingInt32(1 << 16);
  readonly qualifier = new GrowingUint8(1 << 16);
  readonly groups = new GrowingUint8(1 << 16);
  readonly kindSet = new GrowingInt32(1 << 16);
  /** Each evidence code and qualifier has a number, in the order of their appearance. */
  readonly codes = new Map<string, number>();
  readonly qualifiers = new Map<string, number>();
  readonly kinds = new Numbering<RowKind>((kind) => JSON.stringify(Object.values(kind)));
  readonly kindSets = new Numbering<number[]>((kinds) => kinds.join(' '));
  /** Kinds are found by their object, because a bank has millions of rows and some hundred kinds. */
  readonly #known = new Map<DonatedKind, { number: number; groupBit: number }>();
  /** Each source has its first entry and its number of entries here. */
  readonly start: Int32Array;
  readonly count: Int32Array;

  constructor(sources: number) {
    this.start = new Int32Array(sources);
    this.count = new Int32Array(sources);
  }

  kindOf(row: DonatedKind): { number: number; groupBit: number } {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const { evidence_code: evidence, qualifier, assigned_by: source, method } = row;
    const group = evidenceGroupOf(evidence, method);
    const found = {
      number: this.kinds.numberOf({ evidence, qualifier, source, group }),
      groupBit: 1 << group,
    };
    this.#known.set(row, found);
    return found;
  }

  /** Adds the next term of a source. Sources come one after the other, each with its terms in order. */
  add(source: number, { term, row, groups, kinds }: GivenTerm): void {
    if (this.count[source]++ === 0) this.start[source] = this.term.length;
    this.term.push(term);
    this.evidence.push(indexIn(this.codes, row.evidence_code));
    this.groups.push(groups);
    this.kindSet.push(this.kindSets.numberOf(kinds));
    this.qualifier.push(row.qualifier === null ? noQualifier : indexIn(this.qualifiers, row.qualifier));
  }
}

/** A source has a number among the references of the bank. */
interface NumberedSource {
  id: number;
  reference: number;
}

async function* donatedPages(
  reader: DonatedTermReader,
  byId: readonly NumberedSource[],
): AsyncIterable<{ page: readonly NumberedSource[]; rows: DonatedTerms }> {
  for (let first = 0; first < byId.length; first += proteinsPerPage) {
    const page = byId.slice(first, first + proteinsPerPage);
    yield { page, rows: await reader.read(page[0].id, page[page.length - 1].id + 1) };
  }
}

// oxlint-disable-next-line eslint/max-params -- the database and three things to read with
async function readEntries(
  db: Database,
  { set }: Pick<BankSubject, 'set'>,
  sources: SourceRow[],
  termIndex: ReadonlyMap<number, number>,
): Promise<Entries> {
  const entries = new Entries(sources.length);
  const byId = sources.map((source, reference) => ({ id: source.id, reference })).sort((a, b) => a.id - b.id);
  const reader = new DonatedTermReader(db, set.number);
  for await (const { page, rows } of readAhead(donatedPages(reader, byId)))
    addRows(entries, { page, rows: sortedRows(rows, page, { kinds: reader.kinds, termIndex }) });
  return entries;
}

/** A row of a page has the index of the source in it, the index of the term, and the rest. */
interface SortedRows {
  count: number;
  source: Int32Array;
  term: Int32Array;
  kind: DonatedKind[];
}

/**
 * Sorts rows by source, term, evidence, qualifier, source and method, each once. Rows of obsolete terms are
 * left out, and rows of proteins between the sources, which have no vector. The sort uses whole numbers below
 * 2^53, which is fast: there are some thousand kinds at most.
 */
function sortedRows(
  { proteinId, termId, kind }: DonatedTerms,
  page: readonly NumberedSource[],
  { kinds, termIndex }: { kinds: readonly DonatedKind[]; termIndex: ReadonlyMap<number, number> },
): SortedRows {
  const sourceIndex = new Map(page.map(({ id }, index) => [id, index]));
  const byRank = [...kinds].sort(inOrder);
  const rankOf = new Map(byRank.map((row, rank) => [row, rank]));
  const rank = Int32Array.from(kinds, (row) => rankOf.get(row) as number);
  const keys = new Float64Array(proteinId.length);
  let found = 0;
  for (let i = 0; i < proteinId.length; i++) {
    const source = sourceIndex.get(proteinId[i]);
    const term = termIndex.get(termId[i]);
    if (source === undefined || term === undefined) continue;
    keys[found++] = (source * termIndex.size + term) * kinds.length + rank[kind[i]];
  }
  const sorted = keys.subarray(0, found).sort();
  const rows: SortedRows = { count: 0, source: new Int32Array(found), term: new Int32Array(found), kind: [] };
  for (let i = 0; i < found; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    const pair = Math.floor(sorted[i] / kinds.length);
    const source = Math.floor(pair / termIndex.size);
    rows.source[rows.count] = source;
    rows.term[rows.count++] = pair - source * termIndex.size;
    rows.kind.push(byRank[sorted[i] - pair * kinds.length]);
  }
  return rows;
}

const kindFields = ['evidence_code', 'qualifier', 'assigned_by', 'method'] as const;

/** Orders kinds: a missing qualifier comes before any other; a missing source or method comes last. */
function inOrder(a: DonatedKind, b: DonatedKind): number {
  for (const field of kindFields) {
    const [one, other] = [a[field], b[field]];
    if (one === other) continue;
    if (one === null || other === null) return (one === null) === (field === 'qualifier') ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

function addRows(
  entries: Entries,
  { page, rows }: { page: readonly NumberedSource[]; rows: SortedRows },
): void {
  for (let i = 0; i < rows.count; ) {
    const [source, term] = [rows.source[i], rows.term[i]];
    const given: GivenTerm = { term, row: rows.kind[i], groups: 0, kinds: [] };
    for (; i < rows.count && rows.source[i] === source && rows.term[i] === term; i++) {
      const row = rows.kind[i];
      const { number, groupBit } = entries.kindOf(row);
      given.row = stronger(given.row, row);
      given.groups |= groupBit;
      if (given.kinds.at(-1) !== number) given.kinds.push(number);
    }
    entries.add(page[source].reference, given);
  }
}

/** The strongest code comes first; equal strength follows the alphabet. */
function byStrength(a: string, b: string): number {
  return evidenceStrength(b) - evidenceStrength(a) || (a < b ? -1 : 1);
}

/**
 * Gives the row with the stronger evidence; in a tie, the code that comes first in the alphabet, as the query
 * orders them.
 */
function stronger(a: DonatedKind, b: DonatedKind): DonatedKind {
  return evidenceStrength(b.evidence_code) > evidenceStrength(a.evidence_code) ? b : a;
}

function indexIn(table: Map<string, number>, text: string): number {
  const known = table.get(text);
  if (known !== undefined) return known;
  table.set(text, table.size);
  return table.size - 1;
}
