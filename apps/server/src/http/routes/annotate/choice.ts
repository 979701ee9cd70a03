import { ProblemError } from '@kindred/contracts';
import { findAnnotationSet, listAnnotationSets } from '../../../store/annotations/annotations.repository.js';
import type { AnnotationReference } from '../../../jobs/start-annotation.js';
import type { Queryable } from '../../../store/postgres/db.js';
import {
  bestEmbeddingConfig,
  findEmbeddingConfig,
} from '../../../store/embeddings/embedding-configs.repository.js';
import { absent } from '../../problems.js';

/** What the caller asked for. */
export interface Asked {
  annotation_set_id?: string;
  embedding_config_id?: string;
}

/**
 * What a one-click annotation works with: the configuration and the annotation set that were asked for, else the one with
 * most vectors and the newest complete one, and the ontology snapshot that set was loaded against.
 * @throws ProblemError nothing_to_annotate_with, saying which step is missing; not_found for one that is asked for
 */
export async function chooseReference(db: Queryable, asked: Asked): Promise<AnnotationReference> {
  const [set] =
    asked.annotation_set_id === undefined
      ? await listAnnotationSets(db, 1)
      : [await findAnnotationSet(db, asked.annotation_set_id)];
  if (set === undefined && asked.annotation_set_id !== undefined)
    throw absent('annotation set', asked.annotation_set_id);
  if (set === undefined) {
    throw new ProblemError(
      'nothing_to_annotate_with',
      'No annotation set is loaded. Load an ontology (POST /v1/annotations/snapshots/load), then annotations (POST /v1/annotations/sets/load-goa).',
    );
  }
  if (asked.embedding_config_id !== undefined) {
    const chosen = await findEmbeddingConfig(db, asked.embedding_config_id);
    if (chosen === undefined) throw absent('embedding configuration', asked.embedding_config_id);
    return {
      embedding_config_id: chosen.id,
      annotation_set_id: set.id,
      ontology_snapshot_id: set.ontology_snapshot_id,
    };
  }
  const config = await bestEmbeddingConfig(db);
  if (config === undefined || config.embedding_count === 0) {
    throw new ProblemError(
      'nothing_to_annotate_with',
      'No protein has a vector yet. Create a configuration (POST /v1/embeddings/configs) and queue compute_embeddings.',
    );
  }
  return {
    embedding_config_id: config.id,
    annotation_set_id: set.id,
    ontology_snapshot_id: set.ontology_snapshot_id,
  };
}
