import type { ComputeTask } from '../../ground/pool/pool.js';
import type { BankArrays } from './reference-bank.js';

/** Rows to choose from a bank. */
export interface SelectBankInput {
  arrays: BankArrays;
  /** 1 where a reference may give terms: [references]. */
  references: Uint8Array;
  /** 1 where terms of an aspect are given: [3]. */
  aspects: Uint8Array;
  /**
   * Result for the chosen rows of each set of kinds: index of the strongest evidence code (-1 where no row is chosen), index of its
   * qualifier, and the mask of all groups. [kindSets]
   */
  evidence: Int32Array;
  qualifier: Uint8Array;
  groups: Uint8Array;
}

export interface SelectBankOutput {
  /** Sequences keep their numbers; only references with a chosen term are left. */
  arrays: BankArrays;
  /** The references that are left, as they were numbered before: ascending. */
  kept: Int32Array;
  /** 1 where a sequence has a chosen reference: [sequences]. */
  sequences: Uint8Array;
  /** Among the sequences that are left, the order of their first references has changed. */
  isReordered: boolean;
}

export const selectBankTask: ComputeTask<SelectBankInput, SelectBankOutput> = {
  file: new URL('./tasks/select-bank.js', import.meta.url),
  export: 'selectBank',
};
