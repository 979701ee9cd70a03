import { aspects, ProblemError } from '@kindred/contracts';
import { fromFloat16 } from '@kindred/kernels/arrays';
import type { BankContent } from '../compute/reference-bank.js';
import type { Database } from '../store/db.js';
import {
  bankDonors,
  bankTerms,
  type DonatedTermRow,
  type DonorRow,
  donatedTerms,
  vectorCountsOf,
  vectorsOf,
} from '../store/reference-bank.repository.js';
import { evidenceStrength } from './evidence-strength.js';

/** The bank of one embedding configuration over one annotation set. */
export interface BankSubject {
  config: { id: string; number: number; model_name: string; dimension: number };
  set: { id: string; number: number; ontology_snapshot_id: string };
}

/** Small enough that decoding a page leaves the event loop its turn. */
const sequencesPerPage = 500;
const proteinsPerPage = 5000;
const noQualifier = 255;

/** Reads what the bank is made of; the vectors come while it is written. */
export async function referenceBankContent(
  db: Database,
  subject: BankSubject,
  key: string,
): Promise<BankContent> {
  const donors = await bankDonors(db, subject.config.number, subject.set.number);
  if (donors.length === 0) {
    throw new ProblemError(
      'conflict',
      `Annotation set ${subject.set.id} has no annotation that may be transferred to other proteins.`,
    );
  }
  const sequenceIds = Float64Array.from(new Set(donors.map((donor) => donor.sequence_id))).sort();
  const referenceSequence = Int32Array.from(donors, (donor) => indexOfSorted(sequenceIds, donor.sequence_id));
  const given = await givenTerms(db, subject, donors);
  const arrays = {
    sequenceIds,
    referenceSequence,
    referenceTaxon: Int32Array.from(donors, (donor) => donor.taxonomy_id ?? 0),
    ...given.arrays,
  };
  const origin = {
    key,
    embedding_config_id: subject.config.id,
    annotation_set_id: subject.set.id,
    references: donors.length,
    sequences: sequenceIds.length,
  };
  return {
    dimension: subject.config.dimension,
    arrays,
    texts: { accessions: donors.map((donor) => donor.accession), ...given.texts },
    vectorCounts: await countVectors(db, subject, sequenceIds),
    vectorBlocks: readVectors(db, subject, sequenceIds),
    origin,
  };
}

/** Index of `value` in an ascending array, or -1. */
export function indexOfSorted(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value ? low : -1;
}

async function countVectors(
  db: Database,
  subject: BankSubject,
  sequenceIds: Float64Array,
): Promise<Int32Array> {
  const counts = new Int32Array(sequenceIds.length);
  for (let start = 0; start < sequenceIds.length; start += sequencesPerPage) {
    const page = Array.from(sequenceIds.subarray(start, start + sequencesPerPage));
    for (const row of await vectorCountsOf(db, subject.config.number, page)) {
      counts[indexOfSorted(sequenceIds, row.sequence_id)] = row.count;
    }
  }
  return counts;
}

async function* readVectors(
  db: Database,
  subject: BankSubject,
  sequenceIds: Float64Array,
): AsyncIterable<Float32Array> {
  const { dimension, number } = subject.config;
  for (let start = 0; start < sequenceIds.length; start += sequencesPerPage) {
    const rows = await vectorsOf(
      db,
      number,
      Array.from(sequenceIds.subarray(start, start + sequencesPerPage)),
    );
    const block = new Float32Array(rows.length * dimension);
    rows.forEach((row, index) => {
      block.set(decodeVector(row.embedding), index * dimension);
    });
    yield block;
  }
}

/** float16 bytes of the database -> float32. */
export function decodeVector(bytes: Buffer): Float32Array {
  const bits = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return fromFloat16(bits);
}

/** Terms that each donor gives, one entry per (donor, term) with its strongest evidence. */
export async function givenTerms(db: Database, subject: Pick<BankSubject, 'set'>, donors: DonorRow[]) {
  const terms = await bankTerms(db, subject.set.ontology_snapshot_id);
  const termIndex = new Map(terms.map((term, index) => [term.id, index]));
  const qualifiers = new Map<string, number>();
  const perProtein = new Map<number, DonatedTermRow[]>();
  const byId = [...donors].sort((a, b) => a.id - b.id);
  for (let start = 0; start < byId.length; start += proteinsPerPage) {
    const last = Math.min(start + proteinsPerPage, byId.length) - 1;
    for (const row of await donatedTerms(db, subject.set.number, byId[start].id, byId[last].id + 1)) {
      const kept = perProtein.get(row.protein_id) ?? [];
      const previous = kept.at(-1);
      if (previous?.go_term_id === row.go_term_id) kept[kept.length - 1] = stronger(previous, row);
      else kept.push(row);
      perProtein.set(row.protein_id, kept);
    }
  }
  const termStart = new Int32Array(donors.length + 1);
  const flat: { term: number; evidence: string; qualifier: number }[] = [];
  donors.forEach((donor, reference) => {
    const entries = (perProtein.get(donor.id) ?? []).map((row) => ({
      term: termIndex.get(row.go_term_id) as number,
      evidence: row.evidence_code,
      qualifier: row.qualifier === null ? noQualifier : indexIn(qualifiers, row.qualifier),
    }));
    for (const entry of entries.sort((a, b) => a.term - b.term)) flat.push(entry);
    termStart[reference + 1] = flat.length;
  });
  const evidenceCodes = [...new Set(flat.map((entry) => entry.evidence))].sort(byStrength);
  const evidencePlace = new Map(evidenceCodes.map((code, place) => [code, place]));
  return {
    arrays: {
      termStart,
      terms: Int32Array.from(flat, (entry) => entry.term),
      evidence: Int32Array.from(flat, (entry) => evidencePlace.get(entry.evidence) as number),
      qualifier: Uint8Array.from(flat, (entry) => entry.qualifier),
      termRowId: Int32Array.from(terms, (term) => term.id),
      termAspect: Uint8Array.from(terms, (term) => aspects.indexOf(term.aspect)),
    },
    texts: {
      goIds: terms.map((term) => term.go_id),
      evidenceCodes,
      qualifiers: [...qualifiers.keys()],
    },
  };
}

/** Strongest first; equal strength by the alphabet. */
function byStrength(a: string, b: string): number {
  return evidenceStrength(b) - evidenceStrength(a) || (a < b ? -1 : 1);
}

/** The row with the stronger evidence; equal strength: the first code in the alphabet, as the query orders them. */
function stronger(a: DonatedTermRow, b: DonatedTermRow): DonatedTermRow {
  return evidenceStrength(b.evidence_code) > evidenceStrength(a.evidence_code) ? b : a;
}

function indexIn(table: Map<string, number>, text: string): number {
  const known = table.get(text);
  if (known !== undefined) return known;
  table.set(text, table.size);
  return table.size - 1;
}
