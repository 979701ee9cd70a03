import { createHash } from 'node:crypto';
import { absent, experimentalEvidence, type PayloadOf, ProblemError } from '@kindred/contracts';
import { type AccretionOutput, accretionTask } from '../predict/compute/tasks/accretion.js';
import type { AccretionValues } from '../predict/compute/tasks/evaluate.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import type { NamedEvaluationSetRow } from '../store/evaluation/evaluation-sets.repository.js';
import {
  findInformationAccretion,
  insertInformationAccretion,
} from '../store/evaluation/information-accretion.repository.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import type { StoredOntology } from '../store/ontology/ontology-columns.repository.js';
import { experimentalRows } from './holdout-sides.js';
import { readWhole } from '../work/operation/read-whole.js';
import type { OperationContext } from '../work/operation/operation.js';

/** A run has these weights and their origin; `identity` goes into the result. */
export interface ResolvedAccretion {
  values: AccretionValues;
  identity: Record<string, unknown> & { source: 'file' | 'snapshot' | 'computed'; sha256: string };
}

type Choice = Pick<PayloadOf<'run_cafa_evaluation'>, 'ia' | 'ia_file' | 'timeout_seconds'>;

/**
 * Finds the information accretion that the run chose: a file, the snapshot's file, or one computed from the
 * old annotation set (the knowledge at the time of the predictions). Null means no weights.
 */
export async function resolveAccretion(
  choice: Choice,
  subject: { set: NamedEvaluationSetRow; ontology: StoredOntology },
  context: OperationContext,
): Promise<ResolvedAccretion | null> {
  if (choice.ia === 'none') return null;
  if (choice.ia_file !== null) return fromFile('file', choice.ia_file, choice, context);
  const snapshot = await findSnapshot(context.db, subject.set.ontology_snapshot_id);
  const url = snapshot?.ia_url ?? null;
  if (choice.ia === 'snapshot' && url === null) {
    throw new ProblemError(
      'conflict',
      `Ontology snapshot ${subject.set.ontology_snapshot_id} has no ia_url: set it (PATCH /annotations/snapshots/{id}/ia-url), or choose ia "computed".`,
    );
  }
  if (choice.ia !== 'computed' && url !== null) return fromFile('snapshot', url, choice, context);
  return computed(subject, context);
}

async function fromFile(
  source: 'file' | 'snapshot',
  url: string,
  choice: Choice,
  context: OperationContext,
): Promise<ResolvedAccretion> {
  await context.emit('run_cafa_evaluation.downloading_ia', { url });
  const file = await readWhole(url, choice.timeout_seconds, context);
  const sha256 = createHash('sha256').update(file).digest('hex');
  return { values: { file }, identity: { source, url, sha256 } };
}

async function computed(
  { set, ontology }: { set: NamedEvaluationSetRow; ontology: StoredOntology },
  context: OperationContext,
): Promise<ResolvedAccretion> {
  const source = {
    ontologySnapshotId: set.ontology_snapshot_id,
    annotationSetId: set.old_annotation_set_id,
    evidence: [...experimentalEvidence].sort(),
  };
  const identity = (sha256: string): ResolvedAccretion['identity'] => ({
    source: 'computed',
    ontology_snapshot_id: source.ontologySnapshotId,
    annotation_set_id: source.annotationSetId,
    evidence: source.evidence,
    sha256,
  });
  const stored = await findInformationAccretion(context.db, source);
  if (stored !== undefined) {
    const values = { goIds: stored.go_ids, bits: Float64Array.from(stored.bits) };
    return { values, identity: identity(stored.sha256) };
  }
  const output = await compute(set, ontology, context);
  const sha256 = createHash('sha256').update(accretionTable(output)).digest('hex');
  const { goIds, bits, proteins } = output;
  await insertInformationAccretion(context.db, { ...source, sha256, proteinCount: proteins, goIds, bits });
  await context.emit('run_cafa_evaluation.ia_computed', { ...identity(sha256), proteins });
  return { values: { goIds, bits }, identity: identity(sha256) };
}

async function compute(
  set: NamedEvaluationSetRow,
  ontology: StoredOntology,
  context: OperationContext,
): Promise<AccretionOutput> {
  const old = await findAnnotationSet(context.db, set.old_annotation_set_id);
  if (old === undefined) throw absent('annotation set', set.old_annotation_set_id);
  const { columns } = await experimentalRows(old, { ontology, graphId: set.ontology_snapshot_id }, context);
  const numbers = new Map<number, number>();
  const protein = columns.protein.map((id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return numbers.get(id) as number;
  });
  return context.compute.run(
    accretionTask,
    { ontology, proteinCount: numbers.size, annotations: { ...columns, protein } },
    { signal: context.signal },
  );
}

/**
 * Writes lines of term, tab and bits in the published programs' format, in the shortest digits that give the
 * values back.
 */
export function accretionTable({ goIds, bits }: { goIds: readonly string[]; bits: Float64Array }): string {
  return goIds.map((id, i) => `${id}\t${bits[i]}\n`).join('');
}
