import { sharedCopy } from '@kindred/kernels/arrays';
import type { BankArrays } from '../reference-bank.js';
import { task } from '../../../ground/pool/pool.js';

export interface SelectBankInput {
  arrays: BankArrays;
  /** A reference that may give terms has 1: [references]. */
  references: Uint8Array;
  /** An aspect whose terms are given has 1: [3]. */
  aspects: Uint8Array;
  /**
   * Each set of kinds gets a result for its chosen rows: the index of the strongest evidence code (-1 if no
   * row is chosen), the index of its qualifier, and the mask of all groups. [kindSets]
   */
  evidence: Int32Array;
  qualifier: Uint8Array;
  groups: Uint8Array;
}

export interface SelectBankOutput {
  /** Sequences keep their numbers; only references with a chosen term are left. */
  arrays: BankArrays;
  /** The references that are left had these numbers before, ascending. */
  kept: Int32Array;
  /** A sequence with a chosen reference has 1: [sequences]. */
  sequences: Uint8Array;
  /** The remaining sequences have another order of first references than before. */
  isReordered: boolean;
}

/**
 * Gives the chosen references and terms of a bank, in memory that all threads see, as a bank of the chosen
 * rows alone would hold them.
 */
function selectBank(input: SelectBankInput): SelectBankOutput {
  const { arrays } = input;
  const { counts, kept } = chosenEntries(input);
  const termStart = new Int32Array(kept.length + 1);
  kept.forEach((reference, r) => {
    termStart[r + 1] = termStart[r] + counts[reference];
  });
  const entries = chosenColumns(input, kept, termStart);
  const referenceSequence = kept.map((reference) => arrays.referenceSequence[reference]);
  const shared = Object.entries({
    ...arrays,
    ...entries,
    termStart,
    referenceSequence,
    referenceTaxon: kept.map((reference) => arrays.referenceTaxon[reference]),
  }).map(([name, values]) => [
    name,
    values.buffer instanceof SharedArrayBuffer ? values : sharedCopy(values),
  ]);
  const sequences = new Uint8Array(arrays.sequenceIds.length);
  for (const sequence of referenceSequence) sequences[sequence] = 1;
  return {
    arrays: Object.fromEntries(shared) as BankArrays,
    kept,
    sequences: sharedCopy(sequences),
    isReordered: isReordered(arrays.referenceSequence, referenceSequence, sequences),
  };
}

/** Counts the terms that each reference still gives, and lists the references that give any. */
function chosenEntries(input: SelectBankInput): { counts: Int32Array; kept: Int32Array } {
  const { termStart } = input.arrays;
  const counts = new Int32Array(termStart.length - 1);
  const kept: number[] = [];
  for (let r = 0; r < counts.length; r++) {
    if (input.references[r] === 0) continue;
    for (let at = termStart[r]; at < termStart[r + 1]; at++) counts[r] += Number(isChosen(input, at));
    if (counts[r] > 0) kept.push(r);
  }
  return { counts, kept: Int32Array.from(kept) };
}

function isChosen({ arrays, aspects, evidence }: SelectBankInput, at: number): boolean {
  return evidence[arrays.kindSet[at]] >= 0 && aspects[arrays.termAspect[arrays.terms[at]]] === 1;
}

function chosenColumns(input: SelectBankInput, kept: Int32Array, termStart: Int32Array) {
  const { arrays } = input;
  const size = termStart[kept.length];
  const columns = {
    terms: new Int32Array(size),
    evidence: new Int32Array(size),
    qualifier: new Uint8Array(size),
    groups: new Uint8Array(size),
    kindSet: new Int32Array(size),
  };
  let place = 0;
  for (const reference of kept)
    for (let at = arrays.termStart[reference]; at < arrays.termStart[reference + 1]; at++) {
      if (!isChosen(input, at)) continue;
      const set = arrays.kindSet[at];
      columns.terms[place] = arrays.terms[at];
      columns.evidence[place] = input.evidence[set];
      columns.qualifier[place] = input.qualifier[set];
      columns.groups[place] = input.groups[set];
      columns.kindSet[place++] = set;
    }
  return columns;
}

/**
 * Returns true if the choice changes the order of ties. A sequence has the rank of its first reference, and
 * loses that rank if this reference is left out.
 */
function isReordered(all: Int32Array, chosen: Int32Array, sequences: Uint8Array): boolean {
  const before = firstSeen(all, sequences);
  const after = firstSeen(chosen, sequences);
  return before.some((sequence, i) => after[i] !== sequence);
}

/** Lists the marked sequences in the order of their first references. */
function firstSeen(sequenceOf: Int32Array, marked: Uint8Array): number[] {
  const open = marked.slice();
  const order: number[] = [];
  for (const sequence of sequenceOf) {
    if (open[sequence] === 0) continue;
    open[sequence] = 0;
    order.push(sequence);
  }
  return order;
}

export const selectBankTask = task(import.meta.url, selectBank);
