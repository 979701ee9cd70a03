import { absent, absentReference, ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { setAnnotateDefaults } from '../store/annotations/annotate-reference.repository.js';
import { dropSet, findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../store/postgres/db.js';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import {
  deletePredictionSet,
  deleteUnsavedSets,
  predictionSetsOfAnnotations,
} from '../store/predictions/prediction-sets.repository.js';
import {
  type AnnotationChange,
  annotationChanges,
  type ProteinChanges,
  proteinChanges,
  type TermChanges,
  termChanges,
} from '../store/references/reference-diff.repository.js';
import { findPack, type ReferencePackRow } from '../store/references/reference-packs.repository.js';
import {
  deleteReference,
  type DescribedReference,
  findReference,
  findReferenceByName,
} from '../store/references/references.repository.js';

/**
 * Finds the reference that `name` or `name@version` means.
 * @throws ProblemError not_found
 */
export async function requireReference(db: Queryable, choice: string): Promise<DescribedReference> {
  const [name, version = null] = choice.split('@');
  const found = await findReferenceByName(db, { name, version });
  if (found === undefined) throw absent('reference', choice);
  return found;
}

/**
 * Finds the last packed file of a reference.
 * @throws ProblemError not_found
 */
export async function requirePack(
  db: Queryable,
  choice: string,
): Promise<{ reference: DescribedReference; pack: ReferencePackRow }> {
  const reference = await requireReference(db, choice);
  const pack = await findPack(db, reference.number);
  if (pack === undefined) throw absent('pack', choice);
  return { reference, pack };
}

/** @throws ProblemError not_found, conflict if it is not complete */
export async function requireCompleteReference(db: Queryable, choice: string): Promise<DescribedReference> {
  const reference = await requireReference(db, choice);
  if (reference.status === 'complete') return reference;
  const { name, version, status, error } = reference;
  throw new ProblemError(
    'conflict',
    status === 'building'
      ? `Reference ${name}@${version} is still being built; wait for job ${reference.job_id}.`
      : `Reference ${name}@${version} was not built: ${error}`,
  );
}

export interface ReferenceDiff {
  from: DescribedReference;
  to: DescribedReference;
  proteins: ProteinChanges;
  terms: TermChanges;
  annotations: AnnotationChange[];
}

/** @throws ProblemError not_found, conflict; validation_failed for the second */
export async function compareReferences(
  db: Queryable,
  choice: string,
  other: string,
): Promise<ReferenceDiff> {
  const from = await requireCompleteReference(db, choice);
  const to = await requireCompleteReference(db, other).catch((error: unknown) => {
    const isAbsent = error instanceof ProblemError && error.code === 'not_found';
    throw isAbsent ? absentReference('to', 'reference', other) : error;
  });
  const sets = [from.annotation_set_id as string, to.annotation_set_id as string] as const;
  const snapshots = [from.ontology_snapshot_id as string, to.ontology_snapshot_id as string] as const;
  return {
    from,
    to,
    proteins: await proteinChanges(db, from.number, to.number),
    terms: await termChanges(db, ...snapshots),
    annotations: await annotationChanges(db, ...sets),
  };
}

/** Makes a reference the default of annotations whose caller names none. */
export function useReference(db: Database, choice: string): Promise<DescribedReference> {
  return inTransaction(db, async (trx) => {
    const reference = await requireCompleteReference(trx, choice);
    await setAnnotateDefaults(trx, {
      annotation_set_id: reference.annotation_set_id,
      embedding_config_id: reference.vectors[0].embedding_config_id,
    });
    return (await findReference(trx, reference.id)) as DescribedReference;
  });
}

export interface RemovedReference {
  deleted: string;
  annotations_deleted: number;
  prediction_sets_deleted: number;
}

/**
 * Deletes a reference, its annotation set and its pack, and with `dependents` the prediction sets that were
 * made with it. Proteins, vectors and the ontology stay, because other references may have them.
 * @throws ProblemError not_found; conflict while it is built; in_use, naming what was made with it
 */
export async function removeReference(
  { db, artifacts }: { db: Database; artifacts: ArtifactStore },
  choice: string,
  options: { dependents: boolean },
): Promise<RemovedReference> {
  const { number } = await requireReference(db, choice);
  const pack = await findPack(db, number);
  const removed = await removeRows(db, choice, options);
  if (pack !== undefined) await artifacts.delete(pack.uri);
  return removed;
}

/** @throws ProblemError conflict */
export function refuseBuilding({ name, version, status, job_id }: DescribedReference): void {
  if (status !== 'building') return;
  throw new ProblemError(
    'conflict',
    `Reference ${name}@${version} is being built; cancel job ${job_id} first.`,
  );
}

function removeRows(
  db: Database,
  choice: string,
  { dependents }: { dependents: boolean },
): Promise<RemovedReference> {
  return inTransaction(db, async (trx) => {
    const reference = await requireReference(trx, choice);
    refuseBuilding(reference);
    await refuseInUse(
      trx,
      { table: 'reference', id: reference.id, withDependents: dependents },
      {
        what: `Reference ${reference.name}@${reference.version}`,
        advice: dependents ? undefined : 'Delete them first, or give dependents=true to delete runs with it.',
      },
    );
    const setId = reference.annotation_set_id;
    if (setId === null) {
      await deleteReference(trx, reference.id);
      return { deleted: reference.id, annotations_deleted: 0, prediction_sets_deleted: 0 };
    }
    const sets = await removePredictions(trx, setId, dependents);
    const set = await findAnnotationSet(trx, setId);
    await deleteReference(trx, reference.id);
    // The reference may not delete a set that was loaded by itself.
    const isOwn = set?.source === 'reference';
    if (isOwn) await dropSet(trx, set.number);
    return {
      deleted: reference.id,
      annotations_deleted: isOwn ? set.annotation_count : 0,
      prediction_sets_deleted: sets,
    };
  });
}

/** Removes unsaved sets, and with `dependents` all others; only the others are counted. */
async function removePredictions(trx: Transaction, setId: string, dependents: boolean): Promise<number> {
  await deleteUnsavedSets(trx, 'annotation_set_id', setId);
  if (!dependents) return 0;
  const sets = await predictionSetsOfAnnotations(trx, setId);
  for (const set of sets) await deletePredictionSet(trx, set);
  return sets.length;
}
