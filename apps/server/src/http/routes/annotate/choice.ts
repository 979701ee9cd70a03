import { ProblemError } from '@kindred/contracts';
import type { annotateReferenceReply } from '@kindred/contracts/resources/annotate';
import type { z } from 'zod';
import { mostProteinsBeside, mostReferences } from '@kindred/contracts/resources/prediction-sets';
import { findAnnotationSet } from '../../../store/annotations/annotations.repository.js';
import {
  annotateDefaults,
  preferredAnnotationSet,
  type SearchableReference,
  searchableReferences,
} from '../../../store/annotations/annotate-reference.repository.js';
import {
  bestEmbeddingConfig,
  findEmbeddingConfig,
} from '../../../store/embeddings/embedding-configs.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';
import { requireCompleteReference } from '../../../resources/references.js';
import { findReference, referenceOfSet } from '../../../store/references/references.repository.js';
import { absent, absentReference, fieldProblem } from '../../problems.js';
import { presentMark } from '../references/present.js';

/** The caller makes these choices; `taxonId` is the taxon that most of the queries have. */
export interface Asked {
  reference?: string;
  annotation_set_id?: string;
  embedding_config_id?: string;
  more_embedding_config_ids?: readonly string[] | null;
  taxonId: number | null;
  /** The flag is true if the method is combined, which can compare with several references. Default true. */
  isCombined?: boolean;
}

export type ChosenReference = z.infer<typeof annotateReferenceReply>;

/**
 * Chooses the reference and the model of an annotation. The caller's choice comes first, then the operator's.
 * Without a choice, the newest release of annotations that knows the queries' organism counts (if none does,
 * the newest of all), and the configuration with most vectors.
 * @throws ProblemError nothing_to_annotate_with, saying which step is missing; not_found for a requested
 * reference that does not exist
 */
export async function chooseReference(db: Queryable, asked: Asked): Promise<ChosenReference> {
  if (asked.reference !== undefined) return ofReference(db, asked.reference, asked);
  const defaults = await annotateDefaults(db);
  const set = await chooseSet(db, asked, defaults.annotation_set_id);
  const mark = await referenceOfSet(db, set.annotation_set_id);
  const reference = mark === undefined ? undefined : await findReference(db, mark.id);
  const config = await chooseConfig(db, {
    byCaller: asked.embedding_config_id,
    byOperator: defaults.embedding_config_id,
    ofReference: reference?.vectors.at(0)?.embedding_config_id,
  });
  const chosen = { ...set, ...config, reference: reference === undefined ? null : presentMark(reference) };
  return { ...chosen, ...(await alsoSearched(db, chosen, asked)) };
}

/** Finds the other references that are searched, and those that are left out. */
async function alsoSearched(
  db: Queryable,
  {
    annotation_set_id,
    embedding_config_id,
    annotation_set_chosen_by,
  }: Pick<ChosenReference, 'annotation_set_id' | 'embedding_config_id' | 'annotation_set_chosen_by'>,
  { taxonId, more_embedding_config_ids: more, isCombined = true }: Asked,
): Promise<Pick<ChosenReference, 'more_references' | 'not_searched'>> {
  if (annotation_set_chosen_by === 'caller') return noOthers;
  const without = annotation_set_id;
  const others = await searchableReferences(db, {
    ...{ without, configId: embedding_config_id, taxonId, limit: mostListed },
  });
  const canSearch = isCombined && (more?.length ?? 0) === 0;
  const searched: SearchableReference[] = [];
  const first = (await findAnnotationSet(db, annotation_set_id))?.protein_count ?? 0;
  const fits = (counts: number[]) =>
    counts.reduce((sum, count) => sum + count, 0) - Math.max(...counts) <= mostProteinsBeside;
  for (const other of others) {
    const counts = [first, ...[...searched, other].map(({ protein_count }) => protein_count)];
    if (canSearch && other.has_vectors && counts.length <= mostReferences && fits(counts))
      searched.push(other);
  }
  return {
    more_references: searched.map(presentSearched),
    not_searched: others.filter((one) => !searched.includes(one)).map(presentSearched),
  };
}

function presentSearched({ has_vectors: _, ...reference }: SearchableReference) {
  return reference;
}

const noOthers = { more_references: [], not_searched: [] };
const mostListed = 50;

async function ofReference(db: Queryable, choice: string, asked: Asked): Promise<ChosenReference> {
  if (asked.annotation_set_id !== undefined)
    throw fieldProblem('/reference', 'leave annotation_set_id out, or reference');
  const ids = await idsOfReference(db, choice, asked);
  return {
    ...ids,
    annotation_set_chosen_by: 'caller',
    embedding_config_chosen_by: 'caller',
    reference: presentMark(await requireCompleteReference(db, choice)),
    ...noOthers,
  };
}

/**
 * Operations name the parts of a reference by these ids. The configuration is the requested one, or else the
 * first of the reference.
 * @throws ProblemError validation_failed (no such reference, no vectors of that configuration), conflict (not
 * complete)
 */
export async function idsOfReference(
  db: Queryable,
  choice: string,
  {
    embedding_config_id,
    more_embedding_config_ids: more,
  }: {
    embedding_config_id?: string | undefined;
    more_embedding_config_ids?: readonly string[] | null | undefined;
  },
) {
  const reference = await requireCompleteReference(db, choice).catch((error: unknown) => {
    const isAbsent = error instanceof ProblemError && error.code === 'not_found';
    throw isAbsent ? absentReference('reference', 'reference', choice) : error;
  });
  const { vectors, annotation_set_id, ontology_snapshot_id } = reference;
  const chosen = vectors.find(
    (one) => one.embedding_config_id === (embedding_config_id ?? vectors[0].embedding_config_id),
  );
  const models = vectors.map((one) => `${one.embedding_config_id} (${one.model_name})`).join(', ');
  const message = `reference ${choice} has vectors of ${models}`;
  if (chosen === undefined) throw fieldProblem('/embedding_config_id', message);
  const ids = new Set<string>(vectors.map((one) => one.embedding_config_id));
  if (more?.some((id) => !ids.has(id.toLowerCase())))
    throw fieldProblem('/more_embedding_config_ids', message);
  return {
    embedding_config_id: chosen.embedding_config_id,
    annotation_set_id: annotation_set_id as string,
    ontology_snapshot_id: ontology_snapshot_id as string,
  };
}

async function chooseSet(
  db: Queryable,
  { annotation_set_id, taxonId }: Asked,
  byOperator: string | null,
): Promise<Pick<ChosenReference, 'annotation_set_id' | 'ontology_snapshot_id' | 'annotation_set_chosen_by'>> {
  const id = annotation_set_id ?? byOperator;
  if (id !== null) {
    const set = await findAnnotationSet(db, id);
    if (set === undefined) throw absent('annotation set', id);
    return {
      annotation_set_id: set.id,
      ontology_snapshot_id: set.ontology_snapshot_id,
      annotation_set_chosen_by: annotation_set_id === undefined ? 'operator' : 'caller',
    };
  }
  const set = await preferredAnnotationSet(db, taxonId);
  if (set === undefined) {
    throw new ProblemError('nothing_to_annotate_with', `No annotation set is loaded. ${buildFirst}`);
  }
  return {
    annotation_set_id: set.id,
    ontology_snapshot_id: set.ontology_snapshot_id,
    annotation_set_chosen_by: set.holds_taxon ? 'organism' : 'newest',
  };
}

async function chooseConfig(
  db: Queryable,
  {
    byCaller,
    byOperator,
    ofReference,
  }: { byCaller: string | undefined; byOperator: string | null; ofReference: string | undefined },
): Promise<Pick<ChosenReference, 'embedding_config_id' | 'embedding_config_chosen_by'>> {
  const id = byCaller ?? byOperator ?? ofReference;
  if (id !== undefined) {
    const config = await findEmbeddingConfig(db, id);
    if (config === undefined) throw absent('embedding configuration', id);
    return {
      embedding_config_id: config.id,
      embedding_config_chosen_by:
        byCaller !== undefined ? 'caller' : byOperator !== null ? 'operator' : 'reference',
    };
  }
  const config = await bestEmbeddingConfig(db);
  if (config === undefined || config.embedding_count === 0) {
    throw new ProblemError('nothing_to_annotate_with', `No protein has a vector yet. ${buildFirst}`);
  }
  return { embedding_config_id: config.id, embedding_config_chosen_by: 'most vectors' };
}

/** The advice names what loads everything that an annotation needs. */
const buildFirst =
  'Build a reference with "kindred reference build" (POST /v1/references). A service that starts on an empty database builds the starter reference, unless SVC_LOAD_EXAMPLES chooses otherwise.';

/** Gives the taxon that most records have; null if they name none. */
export function commonTaxon(records: readonly { taxonId: number | null }[]): number | null {
  const counts = new Map<number, number>();
  for (const { taxonId } of records)
    if (taxonId !== null) counts.set(taxonId, (counts.get(taxonId) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best?.[0] ?? null;
}
