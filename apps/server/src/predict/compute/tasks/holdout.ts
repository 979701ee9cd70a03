import { type DatedAnnotations, type HoldoutCategory, temporalHoldout } from '@kindred/kernels/holdout';
import { type OntologyColumns, OntologyGraph } from '@kindred/kernels/ontology';
import { task } from '../../../ground/pool/pool.js';

/** Proteins and terms are numbers here: positions in the caller's list, and numbers of the ontology. */
export interface HoldoutTaskInput {
  ontology: OntologyColumns;
  proteinCount: number;
  before: DatedAnnotations;
  after: DatedAnnotations;
  /** These GO ids are not a gain by themselves. */
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

/** Finds the terms that proteins gained between two annotation sets. */
function holdout(input: HoldoutTaskInput): HoldoutTaskOutput {
  const graph = new OntologyGraph(input.ontology);
  const uninformative = new Set(input.uninformative.map((id) => graph.liveIndexOf(id)));
  const { proteinCount, before, after } = input;
  const { truth, known, counts } = temporalHoldout({ graph, proteinCount, before, after, uninformative });
  return {
    truth: { ...truth, known },
    read: { before: { ...counts.before }, after: { ...counts.after } },
    uninformativeOnly: counts.uninformativeOnly,
  };
}

export const holdoutTask = task(import.meta.url, holdout);
