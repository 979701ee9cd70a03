import type { DatedAnnotations, HoldoutCategory } from '@kindred/kernels/holdout';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { ComputeTask } from '../../ground/pool/pool.js';

/** Proteins and terms are numbers here: positions in a list of the caller's, and of the ontology. */
export interface HoldoutTaskInput {
  ontology: OntologyColumns;
  proteinCount: number;
  before: DatedAnnotations;
  after: DatedAnnotations;
  /** GO ids that are not a gain by themselves. */
  uninformative: string[];
}
export interface HoldoutPairs {
  protein: Int32Array;
  term: Int32Array;
}
export interface HoldoutTaskOutput {
  truth: Record<HoldoutCategory | 'known', HoldoutPairs>;
  read: Record<'before' | 'after', Record<string, number>>;
  uninformativeOnly: Record<HoldoutCategory, number>;
}
export const holdoutTask: ComputeTask<HoldoutTaskInput, HoldoutTaskOutput> = {
  file: new URL('./tasks/holdout.js', import.meta.url),
  export: 'holdout',
};
