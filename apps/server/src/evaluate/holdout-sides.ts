import { experimentalEvidence } from '@kindred/contracts';
import type { DatedAnnotations } from '@kindred/kernels/holdout';
import type { AnnotationSetRow } from '../store/annotations/annotations.repository.js';
import { evidenceAnnotations } from '../store/annotations/evidence-annotations.repository.js';
import { type StoredOntology, termTranslation } from '../store/ontology/ontology-columns.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/**
 * A side holds one annotation set's experimental rows, as numbers of proteins and terms; -1 stands for a
 * missing term.
 */
export interface ReadSide {
  columns: DatedAnnotations;
  counts: {
    /**
     * The count has the (protein, term) rows whose term was found by an alternative id of the graph's
     * snapshot.
     */
    terms_by_alt_id: number;
  };
}

/** Reads both sets against one ontology; proteinIds[p] is the row of protein number p. */
export async function readSides(
  sets: { old: AnnotationSetRow; new: AnnotationSetRow },
  ontology: StoredOntology,
  context: OperationContext,
): Promise<{ old: ReadSide; new: ReadSide; proteinIds: Int32Array }> {
  const graphId = sets.new.ontology_snapshot_id;
  const before = await experimentalRows(sets.old, { ontology, graphId }, context);
  const after = await experimentalRows(sets.new, { ontology, graphId }, context);
  const proteinIds = Int32Array.from(new Set([...before.columns.protein, ...after.columns.protein])).sort();
  const numberOf = new Map(Array.from(proteinIds, (id, i) => [id, i]));
  for (const { columns } of [before, after])
    columns.protein = columns.protein.map((id) => numberOf.get(id) as number);
  return { old: before, new: after, proteinIds };
}

/**
 * Reads rows in which proteins still have their row ids of `protein`, but terms are numbers of the ontology.
 */
export async function experimentalRows(
  set: AnnotationSetRow,
  graph: { ontology: StoredOntology; graphId: string },
  { db, signal }: OperationContext,
): Promise<ReadSide> {
  const columns = await evidenceAnnotations(db, set.number, { evidence: experimentalEvidence, signal });
  const termNumber = new Map(Array.from(graph.ontology.rowIds, (id, i) => [id, i]));
  if (set.ontology_snapshot_id === graph.graphId) {
    const term = columns.term.map((id) => termNumber.get(id) ?? -1);
    return { columns: { ...columns, term }, counts: { terms_by_alt_id: 0 } };
  }
  const { rowOf, byAltId } = await termTranslation(db, set.ontology_snapshot_id, graph.graphId);
  const term = columns.term.map((id) => termNumber.get(rowOf.get(id) ?? -1) ?? -1);
  const renamed = columns.term.reduce((sum, id) => sum + Number(byAltId.has(id)), 0);
  return { columns: { ...columns, term }, counts: { terms_by_alt_id: renamed } };
}
