import {
  absent,
  aspects,
  experimentalEvidence,
  type PayloadOf,
  ProblemError,
  truthCategories,
  type TruthCategory,
} from '@kindred/contracts';
import { holdoutCategories } from '@kindred/kernels/holdout';
import { proteinBinding } from '@kindred/kernels/vocabulary';
import { reversedReleases } from './release-order.js';
import { type HoldoutTaskOutput, holdoutTask } from '../predict/compute/tasks/holdout.js';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { type AnnotationSetRow, findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { inTransaction } from '../store/postgres/db.js';
import {
  type EvaluationStatistics,
  findEvaluationSetOfPair,
  insertEvaluationSet,
  type NamedEvaluationSetRow,
} from '../store/evaluation/evaluation-sets.repository.js';
import { ontologyColumns, type StoredOntology } from '../store/ontology/ontology-columns.repository.js';
import { type ReadSide, readSides } from './holdout-sides.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';

type Payload = PayloadOf<'generate_evaluation_set'>;

const name = 'generate_evaluation_set';
/** Protein binding and its parent say little, because any two proteins that are found together get them. */
const bindingTerms = [proteinBinding, 'GO:0005488'];

/** Takes the gain between two annotation sets and stores it, once per pair. */
export const generateEvaluationSet: Operation<'generate_evaluation_set'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const { old_annotation_set_id: oldId, new_annotation_set_id: newId } = payload;
    await context.emit(`${name}.start`, { old_annotation_set_id: oldId, new_annotation_set_id: newId });
    const sets = { old: await requiredSet(oldId, context), new: await requiredSet(newId, context) };
    const made = await withAdvisoryLock(context.db, `evaluation_set:${oldId}:${newId}`, async () => {
      const stored = await findEvaluationSetOfPair(context.db, { oldId, newId });
      return stored === undefined ? generate(payload, sets, context) : reuse(stored, payload, context);
    });
    const result = { ...made, elapsed_seconds: (performance.now() - startMs) / 1000 };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

async function requiredSet(id: string, { db }: OperationContext): Promise<AnnotationSetRow> {
  const set = await findAnnotationSet(db, id);
  if (set === undefined) throw absent('complete annotation set', id);
  return set;
}

async function reuse(
  stored: NamedEvaluationSetRow,
  payload: Payload,
  context: OperationContext,
): Promise<Record<string, unknown>> {
  if (stored.rules.protein_binding_only !== payload.protein_binding_only) {
    throw new ProblemError(
      'conflict',
      `Evaluation set ${stored.id} of these two annotation sets was made with protein_binding_only ${JSON.stringify(stored.rules.protein_binding_only)}; delete it first to make it again.`,
    );
  }
  await context.emit(`${name}.idempotent_reuse`, { evaluation_set_id: stored.id });
  return { evaluation_set_id: stored.id, skipped: true, ...stored.stats };
}

async function generate(
  payload: Payload,
  sets: { old: AnnotationSetRow; new: AnnotationSetRow },
  context: OperationContext,
): Promise<Record<string, unknown>> {
  const reversed = reversedReleases(sets.old, sets.new);
  if (reversed !== null)
    throw new ProblemError('conflict', `${reversed[0].toUpperCase()}${reversed.slice(1)}.`);
  const ontology = await ontologyColumns(context.db, sets.new.ontology_snapshot_id);
  const sides = await readSides(sets, ontology, context);
  await context.emit(`${name}.computing_delta`, { old: sides.old.counts, new: sides.new.counts });
  const excludes = payload.protein_binding_only === 'exclude';
  const output = await context.compute.run(
    holdoutTask,
    {
      ontology,
      proteinCount: sides.proteinIds.length,
      before: sides.old.columns,
      after: sides.new.columns,
      uninformative: excludes ? bindingTerms : [],
    },
    { signal: context.signal },
  );
  const stats = statisticsOf(output, ontology, sides);
  await context.emit(`${name}.delta_done`, { ...stats });
  refuseEmpty(stats, sets);
  const inserted = await inTransaction(context.db, (trx) =>
    insertEvaluationSet(trx, {
      oldId: sets.old.id,
      newId: sets.new.id,
      ontologySnapshotId: sets.new.ontology_snapshot_id,
      jobId: context.jobId,
      rules: rulesOf(payload, sets),
      stats,
      truth: rowsOf(output, ontology, sides.proteinIds),
    }),
  );
  return { evaluation_set_id: inserted.id, skipped: false, ...stats };
}

/** Describes how the gain was taken, in words and names that a reader of the set can check. */
function rulesOf(
  payload: Payload,
  sets: { old: AnnotationSetRow; new: AnnotationSetRow },
): Record<string, unknown> {
  return {
    evidence: [...experimentalEvidence],
    propagation: 'is_a and part_of inside the aspect, before the difference is taken; roots left out',
    negation:
      'each set is read with its own NOT rows, of any evidence: the term and its descendants are removed',
    graph: sets.new.obo_version,
    old_terms:
      sets.old.ontology_snapshot_id === sets.new.ontology_snapshot_id
        ? 'same snapshot'
        : 'looked up in the new snapshot by id, then by alternative id; others left out',
    protein_binding_only: payload.protein_binding_only,
  };
}

type Sides = { old: ReadSide; new: ReadSide; proteinIds: Int32Array };

function statisticsOf(
  output: HoldoutTaskOutput,
  ontology: StoredOntology,
  sides: Sides,
): EvaluationStatistics {
  const { truth } = output;
  const byAspect = Object.fromEntries(
    truthCategories.map((category) => [category, countByAspect(truth[category], ontology)]),
  ) as EvaluationStatistics['by_aspect'];
  const proteins = (categories: readonly TruthCategory[]): number =>
    new Set(categories.flatMap((category) => [...truth[category].protein])).size;
  return {
    delta_proteins: proteins(holdoutCategories),
    nk_proteins: proteins(['NK']),
    lk_proteins: proteins(['LK']),
    pk_proteins: proteins(['PK']),
    nk_annotations: truth.NK.term.length,
    lk_annotations: truth.LK.term.length,
    pk_annotations: truth.PK.term.length,
    known_terms_count: truth.known.term.length,
    by_aspect: byAspect,
    read: {
      old: { ...sides.old.counts, ...snakeCase(output.read.before) },
      new: { ...sides.new.counts, ...snakeCase(output.read.after) },
    },
    protein_binding_only: output.uninformativeOnly,
  };
}

function countByAspect(
  { protein, term }: HoldoutTaskOutput['truth']['NK'],
  ontology: StoredOntology,
): EvaluationStatistics['by_aspect']['NK'] {
  const counts = aspects.map((aspect, number) => {
    const members = protein.filter((_, i) => ontology.namespace[term[i]] === number);
    return [aspect, { proteins: new Set(members).size, annotations: members.length }] as const;
  });
  return Object.fromEntries(counts) as EvaluationStatistics['by_aspect']['NK'];
}

function snakeCase(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/** Refuses a set without any gain: the sets are in the wrong order, or are the same release. */
function refuseEmpty(
  stats: EvaluationStatistics,
  sets: { old: AnnotationSetRow; new: AnnotationSetRow },
): void {
  if (stats.delta_proteins > 0) return;
  throw new ProblemError(
    'conflict',
    `No protein gained an experimental annotation from ${sets.old.source} ${sets.old.source_version} to ${sets.new.source} ${sets.new.source_version}; is the older set given as the old one?`,
  );
}

function rowsOf(
  { truth }: HoldoutTaskOutput,
  ontology: StoredOntology,
  proteinIds: Int32Array,
): Record<TruthCategory, { protein: Int32Array; term: Int32Array }> {
  const rows = truthCategories.map((category) => [
    category,
    {
      protein: truth[category].protein.map((protein) => proteinIds[protein]),
      term: truth[category].term.map((term) => ontology.rowIds[term]),
    },
  ]);
  return Object.fromEntries(rows);
}
