import {
  buildCombinedReference,
  type CombinedReference,
  evidenceGroups,
  groupTerms,
} from '@kindred/kernels/combined';
import { type OntologyColumns, OntologyGraph, type TermRows } from '@kindred/kernels/ontology';
import { indexOfSorted, sharedCopy } from '@kindred/kernels/arrays';
import { task } from '../../../ground/pool/pool.js';
import type { BankArrays } from '../reference-bank.js';

export interface CombinedReferenceInput {
  bank: Pick<BankArrays, 'termStart' | 'terms' | 'groups' | 'referenceTaxon'>;
  /** Only live terms count; they have the numbers of the bank. */
  ontology: OntologyColumns;
}

/** The combination has these data about a bank, in memory that all threads see. */
export interface SharedReference {
  reference: CombinedReference;
  /** The closure of a term is the term itself and everything above it. */
  closure: TermRows;
  /** Each number of an organism stands for this taxon; taxa ascend. */
  organismTaxa: Int32Array;
}

/** Counts, over the annotations of a bank, everything that the features of the combination need. */
function combinedReference({ bank, ontology }: CombinedReferenceInput): SharedReference {
  const graph = new OntologyGraph(ontology);
  const closure = graph.ancestorClosure();
  const isRoot = Uint8Array.from({ length: graph.size }, (_, term) =>
    Number(graph.parentsOf(term).length === 0),
  );
  const byGroup = evidenceGroups.map((_, group) => rowsOfGroup(bank, 1 << group));
  const organismTaxa = Int32Array.from(new Set(bank.referenceTaxon.filter((taxon) => taxon !== 0))).sort();
  const organism = bank.referenceTaxon.map((taxon) => indexOfSorted(organismTaxa, taxon));
  const reference = buildCombinedReference(graph, groupTerms(byGroup, closure, isRoot), organism);
  return shared({ reference, closure, organismTaxa });
}

function rowsOfGroup(
  { termStart, terms, groups }: Pick<CombinedReferenceInput['bank'], 'termStart' | 'terms' | 'groups'>,
  mask: number,
): TermRows {
  const start = new Int32Array(termStart.length);
  const kept = new Int32Array(groups.reduce((count, group) => count + Number((group & mask) !== 0), 0));
  let count = 0;
  for (let r = 0; r + 1 < termStart.length; r++) {
    for (let at = termStart[r]; at < termStart[r + 1]; at++) if (groups[at] & mask) kept[count++] = terms[at];
    start[r + 1] = count;
  }
  return { start, terms: kept };
}

/** Copies all arrays of an object into memory that threads share. */
function shared<Value extends object>(value: Value): Value {
  const entries = Object.entries(value).map(([name, held]): [string, unknown] => {
    if (ArrayBuffer.isView(held)) return [name, sharedCopy(held as Int32Array | Float64Array | Uint8Array)];
    return [name, typeof held === 'object' && held !== null ? shared(held) : held];
  });
  return Object.fromEntries(entries) as Value;
}

export const combinedReferenceTask = task(import.meta.url, combinedReference);
