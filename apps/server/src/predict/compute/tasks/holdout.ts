import { temporalHoldout } from '@kindred/kernels/holdout';
import { OntologyGraph } from '@kindred/kernels/ontology';
import type { HoldoutTaskInput, HoldoutTaskOutput } from '../holdout-tasks.js';

/** Finds the terms that proteins gained between two annotation sets. */
export function holdout(input: HoldoutTaskInput): HoldoutTaskOutput {
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
